import { Select } from '@base-ui/react/select';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useRef, useState } from 'react';
import type { CountedBy } from '../api-client.ts';
import { everyStatus, Glyph, statusLooks } from '../components.tsx';
import * as queries from '../queries.ts';
import { useSlashKey } from '../row-keys.ts';
import { apiFilter, type Filter, type FilterKey, filterKeys, groupings, listed, valueText } from './filter.ts';
import { useCounts } from './list.ts';

export interface FilterBarProps {
  readonly filter: Filter;
  /** Counts up when somebody clears the filters: no text that is just being typed comes back. */
  readonly clearCount: number;
  change(changed: Filter): void;
  clear(): void;
}

const choices: readonly {
  readonly key: FilterKey & CountedBy;
  readonly label: string;
  readonly values: readonly string[];
}[] = [
  { key: 'kind', label: 'Kind', values: ['network', 'subnet', 'group', 'firewall-rule', 'instance'] },
  { key: 'cloud', label: 'Cloud', values: ['aws', 'gcp', 'azure'] },
  { key: 'claim', label: 'Claim', values: ['ours', 'unmanaged', 'orphan', 'other', 'none'] },
  { key: 'exposed', label: 'Exposed', values: ['yes', 'no', 'unknown'] },
];

export function FilterBar({ filter, clearCount, change, clear }: FilterBarProps) {
  const targets = useQuery(queries.targets(filter.estate));
  const [isOpen, setOpen] = useState(false);
  const statuses = useValues(filter, 'status');
  const { sort: _, estate: __, group: ___, ...narrowing } = filter;
  return (
    <search className={isOpen ? 'filters is-open' : 'filters'}>
      <TextFilter
        key={`q ${clearCount}`}
        label="Search"
        name="q"
        placeholder="Address, name, id, label"
        value={filter.q}
        change={change}
      />
      {choices.map(({ key, label, values }) => (
        <SelectFilter key={key} name={key} label={label} values={values} filter={filter} change={change} />
      ))}
      {targets.isError ? (
        // why: without an estate the API lists no targets, and the filter works all the same
        <TextFilter
          key={`target ${clearCount}`}
          label="Target"
          name="target"
          placeholder="Any"
          value={filter.target}
          change={change}
        />
      ) : (
        <SelectFilter
          name="target"
          label="Target"
          values={targets.data?.items.map(({ name }) => name) ?? []}
          filter={filter}
          change={change}
        />
      )}
      <TextFilter
        key={`owner ${clearCount}`}
        label="Owner"
        name="owner"
        placeholder="Any"
        value={filter.owner}
        change={change}
      />
      <TextFilter
        key={`label ${clearCount}`}
        label="Label"
        name="label"
        placeholder="key=value"
        value={filter.label}
        change={change}
      />
      <SelectFilter name="network" label="Network" values={[]} filter={filter} change={change} />
      <SelectFilter name="origin" label="Origin" values={[]} filter={filter} change={change} />
      <GroupBy value={filter.group} change={change} />
      <button
        type="button"
        className="button more-filters"
        aria-expanded={isOpen}
        onClick={() => setOpen((before) => !before)}
      >
        {isOpen ? 'Fewer filters' : 'More filters'}
      </button>
      {Object.keys(narrowing).length === 0 ? null : (
        <button type="button" className="button" onClick={clear}>
          Clear
        </button>
      )}
      <fieldset className="status-filter">
        <legend className="hidden">Status</legend>
        {everyStatus.map((status) => (
          <StatusToggle
            key={status}
            status={status}
            count={statuses.countOf(status)}
            isStale={statuses.isStale}
            value={filter.status}
            change={change}
          />
        ))}
      </fieldset>
    </search>
  );
}

export const cleared: Filter = Object.fromEntries(
  filterKeys.filter((key) => !['estate', 'sort', 'group'].includes(key)).map((key) => [key, undefined]),
);

interface FilterInputProps {
  readonly value: string | undefined;
  change(changed: Filter): void;
}

/** The values of one property, and their counts as if its own filter were not set. */
function useValues(filter: Filter, by: CountedBy, isNeeded = true) {
  const asked = useMemo(() => apiFilter({ ...filter, [by]: undefined, sort: undefined }), [filter, by]);
  const { counts, isStale } = useCounts(asked, by, isNeeded);
  const found = useMemo(() => counts && new Map(counts.items.map(({ value, count }) => [value, count])), [counts]);
  return {
    // why: the address has no empty value
    values: [...(found?.keys() ?? [])].filter((one) => one !== ''),
    countOf: (value: string): number | undefined => found && (found.get(value) ?? 0),
    absenceText: absenceText(found !== undefined, isStale),
    isStale,
  };
}

function absenceText(isKnown: boolean, isFailed: boolean): string {
  if (isKnown) return 'No value';
  return isFailed ? 'The values are not known' : 'Loading…';
}

interface CountProps {
  /** Undefined: not known. */
  readonly count: number | undefined;
  readonly isStale: boolean;
}

const Count = ({ count, isStale }: CountProps) =>
  count === undefined ? null : (
    <span className={isStale ? 'count number is-stale' : 'count number'}>{count.toLocaleString('en')}</span>
  );

interface StatusToggleProps extends FilterInputProps, CountProps {
  readonly status: (typeof everyStatus)[number];
}

function StatusToggle({ status, count, isStale, value, change }: StatusToggleProps) {
  const chosen = listed(value);
  const isOn = chosen.includes(status);
  const next = isOn ? chosen.filter((one) => one !== status) : [...chosen, status];
  const { word, tone, strokes } = statusLooks[status];
  return (
    <button
      type="button"
      className={`chip tone-${tone}`}
      aria-pressed={isOn}
      onClick={() => change({ status: next.join(',') || undefined })}
    >
      <Glyph strokes={strokes} />
      {word}
      <Count count={count} isStale={isStale} />
    </button>
  );
}

interface TextFilterProps extends FilterInputProps {
  readonly label: string;
  readonly name: FilterKey;
  readonly placeholder: string;
}

const typingMs = 250;

function TextFilter({ label, name, placeholder, value = '', change }: TextFilterProps) {
  const [typed, setTyped] = useState(value);
  const sent = useRef(value);
  const timer = useRef<number>(undefined);
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    // why: the person may type on while the address takes over their text
    if (value === sent.current) return;
    sent.current = value;
    window.clearTimeout(timer.current);
    setTyped(value);
  }, [value]);
  useEffect(() => () => window.clearTimeout(timer.current), []);
  useSlashKey(input, name === 'q');
  return (
    <label className={`field field-${name}`}>
      <span>{label}</span>
      <input
        ref={input}
        type="search"
        value={typed}
        placeholder={placeholder}
        spellCheck={false}
        autoComplete="off"
        onChange={({ target: { value: text } }) => {
          setTyped(text);
          window.clearTimeout(timer.current);
          timer.current = window.setTimeout(() => {
            sent.current = text.trim();
            change({ [name]: sent.current || undefined });
          }, typingMs);
        }}
      />
    </label>
  );
}

interface GroupByProps {
  readonly value: string | undefined;
  change(changed: Filter): void;
}

const GroupBy = ({ value = '', change }: GroupByProps) => (
  <label className="field">
    <span>Group by</span>
    <select
      className="select"
      value={value}
      onChange={({ target }) => change({ group: target.value === '' ? undefined : target.value })}
    >
      <option value="">None</option>
      {groupings.map((one) => (
        <option key={one} value={one}>
          {one}
        </option>
      ))}
    </select>
  </label>
);

interface SelectFilterProps {
  readonly name: FilterKey & CountedBy;
  readonly label: string;
  /** Shown with or without a resource; the counts add theirs. */
  readonly values: readonly string[];
  readonly filter: Filter;
  change(changed: Filter): void;
}

function SelectFilter({ name, label, values, filter, change }: SelectFilterProps) {
  const chosen = listed(filter[name]);
  const field = useRef<HTMLDivElement>(null);
  const [isOpen, setOpen] = useState(false);
  const found = useValues(filter, name, isOpen);
  const shown = [...new Set([...values, ...found.values, ...chosen])];
  return (
    <div className="field" ref={field}>
      <Select.Root
        multiple
        modal={false}
        value={[...chosen]}
        onOpenChange={setOpen}
        onValueChange={(next: string[]) => change({ [name]: next.join(',') || undefined })}
      >
        <Select.Label className="field-label">{label}</Select.Label>
        <Select.Trigger className="select">
          <Select.Value>
            {() => (chosen.length === 0 ? 'Any' : chosen.map((one) => valueText(name, one)).join(', '))}
          </Select.Value>
          <span aria-hidden="true">▾</span>
        </Select.Trigger>
        <Select.Portal container={field}>
          <Select.Positioner className="popup-place" alignItemWithTrigger={false} sideOffset={4} align="start">
            <Select.Popup className="popup">
              {shown.length > 0 ? null : <p className="item quiet">{found.absenceText}</p>}
              <Select.List>
                {shown.map((one) => (
                  <Select.Item key={one} value={one} className="item">
                    <span className="tick" aria-hidden="true">
                      <Select.ItemIndicator>✓</Select.ItemIndicator>
                    </span>
                    <Select.ItemText>{one}</Select.ItemText>
                    <Count count={found.countOf(one)} isStale={found.isStale} />
                  </Select.Item>
                ))}
              </Select.List>
            </Select.Popup>
          </Select.Positioner>
        </Select.Portal>
      </Select.Root>
    </div>
  );
}
