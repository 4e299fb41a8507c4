/** How many of a scope are known, the newest: whoever was stopped for longer than that takes is not expected any more. */
export const mostNeverShown = 300;
