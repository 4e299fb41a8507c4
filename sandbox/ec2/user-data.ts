import { refused } from './errors.ts';

/** https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/instancedata-add-user-data.html: 16 KB before encoding */
const MAX_BYTES = 16_384;

/** User data travels in base64 and is kept so. */
export function checkedUserData(base64: string | undefined): string | undefined {
  if (base64 === undefined || base64 === '') return undefined;
  const compact = base64.replace(/\s/g, '');
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(compact) || compact.length % 4 === 1)
    throw refused('InvalidUserData.Malformed', 'Invalid BASE64 encoding of user data.');
  const bytes = Buffer.from(compact, 'base64').length;
  if (bytes > MAX_BYTES) throw refused('InvalidParameterValue', `User data is limited to ${MAX_BYTES} bytes`);
  return compact;
}
