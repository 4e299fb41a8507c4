import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { chmodSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { runCli } from './support/run-cli.ts';
import { sandboxed } from './support/sandboxed.ts';
import { temporaryFolder } from './support/temporary-folder.ts';

test('a ledger is signed, compared with its witness, cut, damaged and signed by another key', async () => {
  const { specs } = await sandboxed();
  const cwd = temporaryFolder();
  chmodSync(cwd, 0o711);
  const witness = join(temporaryFolder(), 'witness.jsonl');
  const run = (args: readonly string[], env = {}) => runCli(['ledger', ...args], cwd, env);
  const applied = await runCli(['apply', specs, '--allow-endpoint', '--yes'], cwd, { SETPOINT_WITNESS: witness });
  assert.equal(applied.code, 0, applied.stderr);

  const sent = (await readFile(witness, 'utf8')).match(/\{/g)?.length;
  const signed =
    /^Ledger: whole, (\d+) entries in 1 chain, \d+ signed checkpoints?\nSigned up to \1 of \1, [\d.]+ m?s ago\n/;
  assert.match((await run(['verify'])).stdout, signed);
  const agreed = await run(['verify', '--witness'], { SETPOINT_WITNESS: witness });
  assert.match(agreed.stdout, signed, agreed.stderr);
  assert.match(agreed.stdout, /\nThe witness agrees up to checkpoint \d+, signed [\d.]+ m?s ago\n$/);

  assert.equal((await readFile(witness, 'utf8')).match(/\{/g)?.length, sent, 'who signs nothing sends nothing');

  const unnamed = await run(['verify', '--witness']);
  assert.deepEqual([unnamed.code, unnamed.stdout], [1, '']);
  assert.match(unnamed.stderr, /There is no witness\.[\s\S]*SETPOINT_WITNESS/);
  await writeFile(join(cwd, 'empty'), '');
  const nothing = await run(['verify', '--witness', 'empty']);
  assert.equal(nothing.code, 1);
  assert.match(nothing.stdout, /^Ledger: UNVERIFIED: the witness holds no checkpoint of this ledger/);
  const missing = await run(['verify', '--witness', 'none']);
  assert.equal(missing.code, 1);
  assert.match(missing.stderr, /The witness .*none cannot be read, so nothing was compared/);

  const late = await run(['verify', '--unsigned-limit', '0']);
  assert.equal(late.code, 0, 'nothing is unsigned');

  const exported = await run(['export', '--out', 'ledger.jsonl']);
  assert.equal(exported.code, 0, exported.stderr);
  assert.match((await run(['verify', '--export', 'ledger.jsonl', '--witness', witness])).stdout, /The witness agrees/);
  await writeFile(
    join(cwd, 'cut.jsonl'),
    (await readFile(join(cwd, 'ledger.jsonl'), 'utf8')).split('\n').slice(0, 9).join('\n'),
  );
  const cut = await run(['verify', '--export', 'cut.jsonl']);
  assert.equal(cut.code, 1);
  assert.match(cut.stdout, /^Ledger: TAMPERED at entry \d+: the tail is cut/);
  const bare = await run(['verify', '--export', 'ledger.jsonl', '--dir', 'elsewhere']);
  assert.equal(bare.code, 1);
  assert.match(bare.stdout, /^Ledger: UNVERIFIED at entry 1: no signed checkpoint covers this export/);

  const file = join(cwd, '.setpoint/checkpoints.jsonl');
  const text = await readFile(file, 'utf8');
  await writeFile(file, text.replace('"heads"', '"heds"'));
  const damaged = await run(['verify']);
  assert.equal(damaged.code, 1);
  assert.match(damaged.stderr, /line 1 of .*checkpoints\.jsonl is damaged/);
  await writeFile(file, text);

  const key = join(cwd, 'new.key');
  const pem = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' });
  await writeFile(key, pem, { mode: 0o600 });
  const rekeyed = await run(['rekey', '--reason', 'the old one is lost'], { SETPOINT_SIGNING_KEY: key });
  assert.match(
    rekeyed.stdout,
    /^Ledger: the key (\w{16}) of this folder signs it from now on, instead of (?!\1)\w{16}\n/,
    rekeyed.stderr,
  );
  assert.match((await run([])).stdout, /rekey/);
  const after = await run(['verify']);
  assert.match(
    after.stdout,
    /^Ledger: whole, (\d+) entries in 2 chains, \d+ signed checkpoints\nSigned up to \1 of \1,/,
  );
  await writeFile(key, 'no key');
  const unusable = await run(['rekey', '--reason', 'x'], { SETPOINT_SIGNING_KEY: key });
  assert.equal(unusable.code, 1);
  assert.match(unusable.stderr, /which holds no private Ed25519 key in PEM\. Make one with: openssl genpkey/);
  assert.doesNotMatch(unusable.stderr, /PRIVATE/);
});
