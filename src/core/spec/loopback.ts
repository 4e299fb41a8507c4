/** Loopback only: anything else would send our calls, and with them credentials, to whoever writes a spec. */
export const LOOPBACK = /^https?:\/\/(?:127(?:\.\d{1,3}){3}|localhost|\[::1\])(?::\d{1,5})?(?:\/[\w./-]*)?$/;

export const isLoopback = (endpoint: string): boolean => LOOPBACK.test(endpoint);
