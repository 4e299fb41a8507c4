import type { Command } from 'commander';
import { type Difference, diffJson, diffText } from '../../core/render/revision-diff.ts';
import type { Context } from '../context.ts';
import { differenceOf, sideOf } from '../estate/difference.ts';
import { type OverlayOption, overlayOf, withOverlayOption } from '../estate/overlay-option.ts';
import { type ExitCode, exitCodes } from '../exit-code.ts';
import { emitJson, emitText } from '../output/emit.ts';
import { planPaintFor } from '../output/plan-paint.ts';
import { verb } from '../verb.ts';

interface Options extends OverlayOption {
  readonly from?: string;
  readonly to?: string;
  readonly fromOverlay?: string;
  readonly toOverlay?: string;
  readonly json?: boolean;
  readonly detailedExitcode?: boolean;
}

export const diff = (context: Context): Command =>
  withOverlayOption(
    verb('diff', {
      group: 'Specs',
      summary: 'say what would change in the clouds between two states of the specs',
      about:
        'Of two commits, two folders or two overlays, told as `plan` would tell it if everything stood as the first one asks.\nNo cloud and no store is asked. + add, ~ change, -/+ replace, - delete, ? kept as an orphan, · held back.',
      examples: [
        ['diff --from main', 'what this folder changes, committed or not'],
        ['diff --from v1.2 --to v1.3 --overlay prod', 'between two releases, in production'],
        ['diff --from-overlay staging --to-overlay prod', 'what production has that staging has not'],
        ['diff --from origin/main --to HEAD --detailed-exitcode', 'for CI: exit 2 if there is anything'],
      ],
    }).argument('[dir]', 'folder of specs', 'specs'),
  )
    .option('--from <ref>', 'the state before: a commit, branch or tag, or a folder; left out: DIR as it is')
    .option('--to <ref>', 'the state after, likewise')
    .option('--from-overlay <name>', 'the overlay of the state before, where it has another one')
    .option('--to-overlay <name>', 'the overlay of the state after')
    .option('--json', 'one JSON object on stdout')
    .option('--detailed-exitcode', 'exit 2 if anything differs')
    .action(async (dir: string, options: Options) => context.finish(await run(dir, options, context)));

async function run(dir: string, options: Options, context: Context): Promise<ExitCode> {
  const { overlay, fromOverlay = overlay, toOverlay = overlay } = options;
  const from = await sideOf(dir, options.from, overlayOf({ overlay: fromOverlay }));
  const to = await sideOf(dir, options.to, overlayOf({ overlay: toOverlay }));
  const found = await differenceOf(from, to, context);
  const { terminal } = context;
  if (options.json) emitJson(terminal, diffJson(found));
  else {
    const [verdict = '', ...body] = diffText(found, planPaintFor(terminal.out)).split('\n');
    emitText(terminal, verdict, body.join('\n'));
  }
  return options.detailedExitcode && differs(found) ? exitCodes.changes : exitCodes.done;
}

/** What is held back differs too: applying the second would not come to what it asks. */
const differs = ({ plans, left }: Difference): boolean =>
  left.length > 0 || plans.some(({ actions, findings }) => actions.length + findings.length > 0);
