import { surgeLaws } from '../../../support/engine-world/laws.ts';
import { project } from '../../../support/gcp-session.ts';
import { gcpWorld, machine } from './gcp-world.ts';

const family = (name: string): string => `projects/debian-cloud/global/images/family/${name}`;
const release = (name: string): string => `projects/debian-cloud/global/images/${name}`;

surgeLaws({
  open: gcpWorld,
  machine,
  images: [
    family('debian-12'),
    family('debian-13'),
    release('debian-12-bookworm-v20251014'),
    release('debian-13-trixie-v20251209'),
  ],
  mistyped: family('debian-21'),
  words: { launch: 'instances.insert', end: 'instances.delete' },
  doom: ({ control }) => {
    control.compute.project(project).badBoots.set('debian-13-trixie-v20251209', { stopsAfterMs: 20_000 });
  },
  ending: /STOPPING|TERMINATED/,
  machines: ({ control }) =>
    [...control.compute.project(project).instances.values()].map(({ name, power, marks }) => ({
      name,
      image: marks.metadata.get('setpoint-image') ?? '',
      running: power.status === 'RUNNING',
    })),
});
