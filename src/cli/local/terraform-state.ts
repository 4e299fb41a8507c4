import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { resourceTypeOf } from '../../core/import/terraform/resource-types.ts';
import { readState, type StateInstance } from '../../core/import/terraform/state.ts';
import { messageOf, printable } from '../../core/text.ts';
import { UserError } from '../errors.ts';

/** More than a state of 100,000 machines. */
const mostBytes = 256 * 1024 * 1024;

/**
 * The managed resources of a state: a file, or `-` for stdin. At least one has a type that Setpoint knows. No error quotes the state,
 * as it may hold secrets.
 */
export async function readTerraformState(
  given: string,
  stdin: Readable & { readonly isTTY?: boolean },
): Promise<readonly StateInstance[]> {
  if (given === '-' && stdin.isTTY === true)
    throw new UserError('Nothing is piped in.', {
      next: 'Pipe the state in: terraform show -json | setpoint import --from-terraform -',
    });
  const name = given === '-' ? 'the state on stdin' : `the state ${printable(given)}`;
  const text = await textOf(given === '-' ? stdin : createReadStream(given), name);
  const read = readState(text);
  if ('problem' in read) {
    const { message, line, column, next } = read.problem;
    const file = given === '-' ? 'stdin' : given;
    throw new UserError(`Setpoint cannot import from ${name}.`, {
      ...(line === undefined ? {} : { where: `${file}:${line}:${column}` }),
      why: message,
      next,
    });
  }
  if (!read.instances.some(({ type }) => resourceTypeOf(type) !== undefined))
    throw new UserError(`No resource of ${name} is one that Setpoint knows.`, {
      why: read.instances.length === 0 ? 'It has no managed resource.' : `It has ${typesOf(read.instances)}.`,
      next: 'Setpoint imports networks, subnets, groups, rules and machines. Name the state that has them.',
    });
  return read.instances;
}

const mostTypes = 10;

function typesOf(instances: readonly StateInstance[]): string {
  const types = [...Map.groupBy(instances, ({ type }) => type)].map(([type, all]) => `${all.length} ${type}`);
  const more = types.length - mostTypes;
  return `${types.slice(0, mostTypes).join(', ')}${more > 0 ? ` and ${more} more types` : ''}`;
}

/** UTF-8, as Terraform writes it. Decoded as it comes: a state is large, and its bytes need not stay. */
async function textOf(input: Readable, name: string): Promise<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  let [text, bytes] = ['', 0];
  try {
    for await (const chunk of input) {
      const buffer = Buffer.from(chunk);
      bytes += buffer.length;
      if (bytes > mostBytes) throw tooLarge(name);
      text += decoder.decode(buffer, { stream: true });
    }
    return text + decoder.decode();
  } catch (cause) {
    if (cause instanceof UserError) throw cause;
    if (cause instanceof TypeError) throw notText(name, cause);
    throw new UserError(`Setpoint cannot read ${name}.`, {
      why: messageOf(cause),
      next: 'Name a state file, or pipe it in: terraform show -json | setpoint import --from-terraform -',
      cause,
    });
  }
}

/** Windows PowerShell 5 redirects output as UTF-16. */
const notText = (name: string, cause: unknown): UserError =>
  new UserError(`Setpoint cannot import from ${name}.`, {
    why: 'It is not UTF-8.',
    next: 'Windows PowerShell writes UTF-16. There, pipe it through: Out-File -Encoding utf8',
    cause,
  });

const tooLarge = (name: string): UserError =>
  new UserError(`Setpoint cannot import from ${name}.`, {
    why: `It is larger than ${mostBytes / 1024 / 1024} MiB.`,
    next: 'Split the state, or import without it: setpoint import --all',
  });
