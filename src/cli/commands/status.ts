import type { Command } from 'commander';
import { estateStatusOf } from '../../queries/status.ts';
import type { Context } from '../context.ts';
import { readEstate } from '../estate/estate.ts';
import { withGivenStore } from '../estate/opened-store.ts';
import { type OverlayOption, overlayOf, withOverlayOption } from '../estate/overlay-option.ts';
import { type ExitCode, exitCodes } from '../exit-code.ts';
import { emitJson, emitText, emitWithheld } from '../output/emit.ts';
import { paintFor } from '../output/paint.ts';
import { standingText } from '../output/standing-text.ts';
import { verb } from '../verb.ts';

interface Options extends OverlayOption {
  readonly json?: boolean;
  /** The store's folder. */
  readonly dir: string;
}

export const status = (context: Context): Command =>
  withOverlayOption(
    verb('status', {
      group: 'Steer',
      summary: 'say how far the newest generation is, and what holds it or lets it pass',
      about:
        'Pauses, approvals, rollouts that stopped, scopes in quarantine, and who works where; with the lines that change it.\nReads the store only: no cloud is asked.',
      examples: [['status', 'one screen']],
    }).argument('[dir]', 'folder of specs', 'specs'),
  )
    .option('--json', 'one JSON object on stdout')
    .action(async (dir: string, _options: Options, command: Command) => {
      context.finish(await run(dir, command.optsWithGlobals<Options>(), context));
    });

async function run(dir: string, options: Options, context: Context): Promise<ExitCode> {
  const { terminal, clock } = context;
  const estate = await readEstate({ dir, targets: [], allowEndpoint: true, ...overlayOf(options) }, context);
  const standing = await withGivenStore(options.dir, context, (store) => estateStatusOf(estate, store));
  if (options.json) emitJson(terminal, standing);
  else {
    emitWithheld(terminal, standing.withheldDrift);
    const { out } = terminal;
    emitText(terminal, ...standingText(standing, { now: clock.now(), paint: paintFor(out), width: out.width }));
  }
  return exitCodes.done;
}
