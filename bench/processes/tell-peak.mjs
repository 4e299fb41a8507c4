// Loaded into a measured process: as it exits it writes its peak resident memory, in KiB, where it was told to.
import { readFileSync, writeFileSync } from 'node:fs';

const file = process.env['SETPOINT_BENCH_PEAK'];

/** Linux: VmHWM is this program's own; `maxRSS` begins with what the process was before it became this program. */
function peakKiB() {
  try {
    const [, peak] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
    if (peak !== undefined) return Number(peak);
  } catch {}
  return process.resourceUsage().maxRSS;
}

if (file !== undefined) process.once('exit', () => writeFileSync(file, String(peakKiB())));
