import { Complaint } from '../complaint.ts';

/** Why a server gave no answer, as a complaint. What the network said is told by its code only: its words may hold what was sent. */
export function unanswered(error: unknown, url: string, atMostMs: number): Complaint {
  const code = codeOf(error);
  const cause = { cause: error };
  if (code === 'TimeoutError')
    return new Complaint(`${url} gave no whole answer within ${atMostMs / 1000} s.`, { next: again, ...cause });
  const said = explained[code];
  if (said !== undefined) return new Complaint(`${url} ${said.what}.`, { next: said.next, ...cause });
  if (/^(CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|ERR_TLS_)/.test(code))
    return new Complaint(`${url} does not prove that it is the server it should be.`, {
      why: tls[code] ?? code,
      next: `${trust} Nothing was sent to it.`,
      ...cause,
    });
  return new Complaint(`${url} cannot be asked.`, { why: code, next: again, ...cause });
}

/** Before anything was answered. */
export const isBrokenOff = (error: unknown): boolean => explained[codeOf(error)] === broken;

const again = 'Try again. Whether it runs, its own log says.';
const trust =
  'If its certificate is by an authority of your own, name that: NODE_EXTRA_CA_CERTS=/path/to/ca.pem setpoint …';
const broken = { what: 'broke the connection off', next: again };
const unknown = { what: 'has no address that the network knows', next: 'Look at its name: is it spelt so?' };
const plain = { what: 'does not speak TLS', next: 'Look at its port: is it the one of https?' };
const silent = { what: 'cannot be reached', next: 'Look at its name and port, and whether a firewall is between.' };

const explained: Readonly<Record<string, { readonly what: string; readonly next: string }>> = {
  ECONNREFUSED: { what: 'is not there: nothing listens', next: 'Start it: setpoint serve. Or look at its port.' },
  ECONNRESET: broken,
  EPIPE: broken,
  UND_ERR_SOCKET: broken,
  ENOTFOUND: unknown,
  EAI_AGAIN: unknown,
  ETIMEDOUT: silent,
  EHOSTUNREACH: silent,
  ENETUNREACH: silent,
  UND_ERR_CONNECT_TIMEOUT: silent,
  EPROTO: plain,
  ERR_SSL_WRONG_VERSION_NUMBER: plain,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: plain,
};

/** https://nodejs.org/docs/latest-v24.x/api/tls.html#x509-certificate-error-codes */
const tls: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'Its certificate has expired.',
  CERT_NOT_YET_VALID: 'Its certificate does not hold yet, or the clock here is wrong.',
  CERT_REVOKED: 'Its certificate was revoked.',
  ERR_TLS_CERT_ALTNAME_INVALID: 'Its certificate is for another name.',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'Its certificate is signed by nobody but itself.',
  SELF_SIGNED_CERT_IN_CHAIN: 'Its certificate is by an authority that is not known here.',
  UNABLE_TO_GET_ISSUER_CERT: 'Its certificate is by an authority that is not known here.',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'Its certificate is by an authority that is not known here.',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'Its certificate is by an authority that is not known here.',
};

/** The innermost there is: fetch wraps what the socket said, and a name with several addresses gives a failure for each. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  if (error instanceof AggregateError && error.errors.length > 0) return codeOf(error.errors[0]);
  if (error.cause instanceof Error) return codeOf(error.cause);
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}
