/** The time as the service sees it. Injected everywhere, so that tests move it instead of sleeping. */
export class Clock {
    now() {
        return new Date(this.nowMs());
    }
}
//# sourceMappingURL=clock.js.map