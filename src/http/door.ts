/** Where a process listens. */
export interface Door {
  /** 0: any free one. */
  readonly port: number;
  /** Default 127.0.0.1. */
  readonly host?: string;
  /** `proxy`: what stands before us has it. Absent: nobody but this machine may ask. */
  readonly tls?: Tls | 'proxy';
}

/** PEM. */
export interface Tls {
  readonly cert: string;
  readonly key: string;
}

export const isLoopbackHost = (host: string): boolean => /^(127(\.\d{1,3}){3}|::1|localhost)$/.test(host);
