import type { Effect } from './api.d.ts';

type Services = Effect['opens'][number]['services'];

/**
 * `22/tcp, 53/udp`; `all traffic`; with exceptions `all traffic but tcp, of which 53/tcp`. The command line prints the same.
 *
 * Empty `ports` means none of this protocol, and `all` means every protocol that has no entry of its own.
 */
export function servicesText(services: Services): string {
  const parts = services.filter(({ protocol }) => protocol !== 'all');
  const texts = parts.flatMap(entryTexts);
  if (parts.length === services.length) return texts.join(', ');
  if (parts.length === 0) return 'all traffic';
  const but = `all traffic but ${parts.map(({ protocol }) => protocol).join(', ')}`;
  return texts.length === 0 ? but : `${but}, of which ${texts.join(', ')}`;
}

function entryTexts({ protocol, ports }: Services[number]): readonly string[] {
  if (ports === 'all') return [`all ${protocol}`];
  return ports === '' ? [] : ports.split(',').map((port) => `${port}/${protocol}`);
}
