/** How far back healing counts against the limits. */
export const healingWindowMs = 24 * 60 * 60 * 1000;
