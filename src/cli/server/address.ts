import { isLoopback } from '../../core/documents/fields.ts';
import { Complaint } from '../complaint.ts';

/**
 * A server's address as logins are kept by: origin and path, without a slash at the end. A token goes over https only, or to
 * this machine. What was given is repeated only where it cannot hold a password.
 */
export function serverAddress(given: string): string {
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) throw noAddress(given);
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '')
    throw new Complaint("A server's address is its origin and path, and nothing else.", {
      why: 'It stands in files and on screens: a name, a password or a token in it would too.',
      next: `Write ${url.origin}, and give the token to: setpoint login ${url.origin}`,
    });
  if (url.protocol === 'http:' && !isLoopback(url.origin))
    throw new Complaint(`${url.origin} would have your token go over the network for all to read.`, {
      next: `Write https://${url.host}. Only a server on this machine is asked over http.`,
    });
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}

const noAddress = (given: string): Complaint =>
  new Complaint(`${/^[\w./:-]{1,80}$/.test(given) ? `"${given}"` : 'That'} is no address of a server.`, {
    next: 'Write it whole, as in https://setpoint.example or http://127.0.0.1:7420. The one last logged in to: last',
  });
