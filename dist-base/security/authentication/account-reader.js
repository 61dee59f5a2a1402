/** Port: how the guards learn about accounts. `users` provides it; this room knows no feature. */
export class AccountReader {
}
//# sourceMappingURL=account-reader.js.map