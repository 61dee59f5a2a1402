import { Sessions } from './login-history/index.js';
import { MailsRepository } from './mail/index.js';
import { Authenticator, SecurityEvents } from './security/index.js';
import { AccountsRepository } from './users/index.js';
/** The operator asked for something that is not there. */
export class CommandError extends Error {
}
const LISTED_MAILS = 100;
async function accountOf(app, email) {
    const account = await app.get(AccountsRepository).findByEmail(email);
    if (!account)
        throw new CommandError(`There is no account with the address ${email}`);
    return account;
}
function roleCommand(role, help) {
    return {
        argument: 'email',
        help,
        async run(app, email) {
            const { userId } = await accountOf(app, email);
            await app.get(AccountsRepository).setRole(userId, role);
            await app.get(Authenticator).forgetAccount(userId);
            await app
                .get(SecurityEvents)
                .recordWith({ kind: 'user_role_changed', outcome: 'success', userId, detail: `cli: ${role}` });
            return {
                lines: [`${email} is ${role ? 'an administrator' : 'no administrator any more'}`],
                data: { user: userId, role },
            };
        },
    };
}
export const COMMANDS = {
    'grant-admin': roleCommand('admin', 'make the owner of an address an administrator'),
    'revoke-admin': roleCommand(null, 'take the role of administrator away'),
    'revoke-sessions': {
        argument: 'email',
        help: 'end every session of an account',
        async run(app, email) {
            const { userId } = await accountOf(app, email);
            const ended = await app.get(Sessions).endAll(userId, 'session_revoked');
            return { lines: [`${ended} sessions of ${email} were ended`], data: { user: userId, ended } };
        },
    },
    'list-mails': {
        argument: null,
        help: 'list the mails that have not left, and why',
        async run(app) {
            const mails = await app.get(MailsRepository).listUnsent(LISTED_MAILS);
            const lines = mails.map(({ state, kind, to, attempts, last_error }) => `${state}  ${kind}  ${to}  ${attempts} attempts  ${last_error ?? ''}`);
            return { lines: lines.length > 0 ? lines : ['All mails have left'], data: mails };
        },
    },
};
//# sourceMappingURL=cli.commands.js.map