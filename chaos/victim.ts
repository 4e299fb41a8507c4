import module from 'node:module';

// The process that is caught: the command line, with a ledger and clouds that have gates. Told in CHAOS_VICTIM what to
// do and where to stop; holds at the gate until its director answers.
module.enableCompileCache();
const { victim } = await import('./victim-program.ts');
process.exitCode = await victim(process.argv.slice(2), JSON.parse(process.env['CHAOS_VICTIM'] ?? '{}'));
