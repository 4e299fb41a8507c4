import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { instanceAddress } from '../../src/core/import/terraform/addresses.ts';
import { removedFile } from '../../src/core/import/terraform/let-go.ts';
import { readState } from '../../src/core/import/terraform/state.ts';
import { temporaryFolder } from '../cli/support/temporary-folder.ts';
import { hasTerraform, runTerraform } from '../support/terraform.ts';

// why: this type is part of Terraform, so it needs no provider and no network
const whole = `resource "terraform_data" "whole" {
  for_each = toset(["a", "it's \\"b\\""])
}
`;
const counted = (count: number): string => `resource "terraform_data" "counted" {
  count = ${count}
}
`;
const call = `module "net" {
  source   = "./net"
  for_each = toset(["x.y", "a\\u200b$\${b}"])
}
`;

/** The commands of the file's comments. */
const commandsIn = (text: string): readonly string[] =>
  [...text.matchAll(/^# +terraform (state rm .*)$/gm)].map(([, command = '']) => command);

test('Terraform forgets what the file names, destroys nothing, and takes each address', async (t) => {
  if (!(await hasTerraform())) return t.skip('terraform is not installed');
  const folder = temporaryFolder({ 'main.tf': whole + counted(2) + call, 'net/main.tf': whole });
  const terraform = (...args: readonly string[]) => runTerraform(args, folder);
  await terraform('init');
  await terraform('apply', '-auto-approve');
  const addresses = (text: string): readonly string[] => {
    const read = readState(text);
    return 'instances' in read ? read.instances.map(instanceAddress).toSorted() : assert.fail(read.problem.message);
  };
  const file = readFileSync(join(folder, 'terraform.tfstate'), 'utf8');
  const listed = (await terraform('state', 'list')).trim().split('\n').toSorted();
  assert.deepEqual([addresses(file), addresses(await terraform('show', '-json'))], [listed, listed]);

  const parts = ['terraform_data.counted[1]', 'module.net["x.y"].terraform_data.whole["it\'s \\"b\\""]'];
  const text = removedFile({ whole: ['terraform_data.whole', 'module.net.terraform_data.whole'], parts });
  writeFileSync(join(folder, 'setpoint-removed.tf'), text);
  await terraform('fmt', '-check', 'setpoint-removed.tf');
  assert.equal(commandsIn(text).length, 2);
  for (const command of commandsIn(text)) await terraform(...wordsOf(command));
  writeFileSync(join(folder, 'main.tf'), counted(1) + call);
  writeFileSync(join(folder, 'net/main.tf'), '');
  assert.match(await terraform('plan'), /Plan: 0 to add, 0 to change, 0 to destroy/);
  await terraform('apply', '-auto-approve');
  assert.equal((await terraform('state', 'list')).trim(), 'terraform_data.counted[0]');
});

/** The words of a shell's line with words in single quotes. */
const wordsOf = (line: string): readonly string[] =>
  [...line.matchAll(/'((?:[^']|'\\'')*)'|\S+/g)].map(([word, quoted]) => quoted?.replaceAll("'\\''", "'") ?? word);
