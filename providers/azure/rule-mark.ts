import type { Mark } from '../../src/core/observed.ts';

/**
 * The mark of a rule that stands in somebody else's NSG: behind the user's text, in the 140 characters that a description
 * has (https://learn.microsoft.com/rest/api/virtualnetwork/security-rules/create-or-update). UUIDs are written in 22
 * characters, and of the address only what the rule's own place and name do not say.
 *
 *   `public site [setpoint acme ~Z0y… core d ~9fK… 1]`: estate, store, network, d(elete) r(etain) or -, intent, attempt
 */
export interface MarkedText {
  readonly text: string;
  readonly mark: Mark | undefined;
}

/** Place of a rule: its address is `<prefix>/firewall-rule/<network>.<name>`. */
export interface RulePlace {
  readonly prefix: string;
  readonly name: string;
}

const longest = 140;

/** Undefined: there is no room for both; `room` says how much there is for the text. */
export function writeRuleMark(text: string, mark: Mark, place: RulePlace): string | undefined {
  const written = markText(mark, place);
  const whole = text === '' ? written : `${text} ${written}`;
  return whole.length > longest ? undefined : whole;
}

export const roomBeside = (mark: Mark, place: RulePlace): number => longest - markText(mark, place).length - 1;

export function readRuleMark(description: string, place: RulePlace): MarkedText {
  const [whole, text = '', estate, store = '', network = '', policy, intent, attempt] = pattern.exec(description) ?? [];
  if (whole === undefined || estate === undefined) return { text: description, mark: undefined };
  const [name, prefix = place.prefix] = network.split('@');
  const deletionPolicy = policy === undefined ? undefined : policies[policy];
  return {
    text,
    mark: {
      estate,
      store: unpacked(store),
      address: `${prefix}/firewall-rule/${name}.${place.name}`,
      ...(deletionPolicy === undefined ? {} : { deletionPolicy }),
      ...(intent === undefined || intent === '-' ? {} : { intent: unpacked(intent) }),
      ...(attempt === undefined || attempt === '-' ? {} : { attempt: Number(attempt) }),
    },
  };
}

const pattern = /^(?:(.*) )?\[setpoint (\S+) (\S+) (\S+) ([dr-]) (\S+) (\d{1,9}|-)\]$/s;
const policies: Readonly<Record<string, 'delete' | 'retain'>> = { d: 'delete', r: 'retain' };

function markText({ estate, store, address = '', deletionPolicy, intent, attempt }: Mark, place: RulePlace): string {
  const [prefix = '', rest = ''] = address.split('/firewall-rule/');
  const network = rest.slice(0, rest.indexOf('.')) + (prefix === place.prefix ? '' : `@${prefix}`);
  const policy = deletionPolicy?.[0] ?? '-';
  const words = [estate, packed(store), network, policy, intent === undefined ? '-' : packed(intent), attempt ?? '-'];
  return `[setpoint ${words.join(' ')}]`;
}

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const packed = (text: string): string =>
  uuid.test(text) ? `~${Buffer.from(text.replaceAll('-', ''), 'hex').toString('base64url')}` : text;

function unpacked(text: string): string {
  if (!/^~[\w-]{22}$/.test(text)) return text;
  const hex = Buffer.from(text.slice(1), 'base64url').toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
