import type { Sandbox } from '../../sandbox/index.ts';
import type { Packets } from './harness.ts';
import { type Asked, words } from './reachability/cloud-words.ts';

/** Those of the sandbox of one cloud. `where`: how the packet check there is asked. */
export function sandboxPackets({ control }: Sandbox, cloud: Asked, account: string, region = ''): Packets {
  const check = {
    aws: (question: Question) => control.ec2.packet({ account, region }, question),
    gcp: (question: Question) => control.compute.packet(account, question),
    azure: (question: Question) => control.arm.packet(account, question),
  }[cloud];
  const endOf = (end: string): string => (end === 'internet' ? end : words[cloud].end(end));
  return {
    reach: ({ from, to, port }) => check({ from: endOf(from), to: endOf(to), protocol: 'tcp', port }).allowed,
    watch: (look) => control.log.watch(look),
  };
}

interface Question {
  readonly from: string;
  readonly to: string;
  readonly protocol: string;
  readonly port: number;
}
