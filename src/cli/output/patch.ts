import type { EndedPatch, Patch } from '../../core/patch.ts';
import { fieldText, patchedDocument } from '../../core/patch.ts';
import { documentText } from '../../core/render/value-text.ts';
import { formatMoment } from '../../core/render/wording.ts';
import { formatDuration } from './format.ts';

/** `size: t3.small → t3.large` */
export const fieldLines = ({ fields }: Pick<Patch, 'fields'>): readonly string[] =>
  fields.map(({ path, value, was }) => {
    const now = value === null ? 'removed' : documentText(value);
    return `${fieldText(path)}: ${documentText(was)} → ${now}`;
  });

/** A patch that holds: its end, who gave it and why, its values, and the line that ends it. */
export const patchLines = (patch: Patch, now: number): readonly string[] => [
  `#${patch.id} ${patchedDocument(patch)} until ${formatMoment(patch.until)}, ${patch.isOver ? 'over' : `in ${formatDuration(patch.until - now)}`}, by ${patch.person}: ${patch.reason}`,
  ...fieldLines(patch).map((line) => `  ${line}`),
  `  ${endLine(patch)}`,
];

export const endLine = ({ id }: Pick<Patch, 'id'>): string => `setpoint patch end ${id} --reason "…"`;

/** `#7 Instance web (size) ended 2026-12-01 12:10 UTC: the specs changed `size`` */
export const endedPatchLine = (patch: EndedPatch): string => {
  const by = patch.end.person === undefined ? '' : ` by ${patch.end.person}`;
  const fields = patch.fields.map(({ path }) => fieldText(path)).join(', ');
  return `#${patch.id} ${patchedDocument(patch)} (${fields}) of ${patch.person} ended ${formatMoment(patch.end.at)}${by}: ${patch.end.why}`;
};

/** As `--json` prints it, in the words of the API. Times are ms since the epoch. */
export const patchJson = ({ id, kind, name, fields, person, reason, at, until }: Omit<Patch, 'isOver'>): object => ({
  ...{ id, kind, name, actor: person, reason, at, until },
  fields: fields.map(({ path, value, was }) => ({ field: fieldText(path), value, former: was })),
});

export const endedPatchJson = ({ end, ...patch }: EndedPatch): object => ({
  ...patchJson(patch),
  end: { at: end.at, type: end.as, reason: end.why, actor: end.person },
});
