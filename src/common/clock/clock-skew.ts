/** How far the clocks of instances may differ. What is further in the future was recorded by one that has been set back since. */
export const CLOCK_SKEW_MS = 60_000;
