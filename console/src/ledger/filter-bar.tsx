import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import { useSlashKey } from '../row-keys.ts';
import { filterKeys, isAge, type LedgerFilter, type LedgerFilterKey, timeOf } from './entries.ts';

interface LedgerFilterBarProps {
  readonly filter: LedgerFilter;
  change(changed: LedgerFilter): void;
}

interface Choice {
  readonly value: string;
  readonly text: string;
}

const types: readonly Choice[] = [
  { value: 'intent', text: 'Intents' },
  { value: 'settlement', text: 'Settlements' },
  { value: 'note', text: 'Decisions' },
];

const verbs: readonly Choice[] = ['create', 'update', 'delete', 'adopt', 'forget', 'tombstone'].map((verb) => ({
  value: verb,
  text: verb,
}));

const times: readonly Choice[] = [
  { value: '1h', text: 'Last hour' },
  { value: '24h', text: 'Last 24 hours' },
  { value: '7d', text: 'Last 7 days' },
  { value: '30d', text: 'Last 30 days' },
];

/** The filters of the address have the names and values of the API. */
export function LedgerFilterBar({ filter, change }: LedgerFilterBarProps) {
  const { estate: _, ...narrowing } = filter;
  const [isOpen, setOpen] = useState(false);
  const isRange = filter.until !== undefined || !isAge(filter.since);
  const [wantsRange, setWantsRange] = useState(isRange);
  const showsRange = isRange || wantsRange;
  const text = (name: LedgerFilterKey, label: string, placeholder: string) => (
    <TextFilter name={name} label={label} placeholder={placeholder} value={filter[name]} change={change} />
  );
  return (
    <search className={isOpen ? 'filters is-open' : 'filters'}>
      <TextFilter
        name="address"
        label="Address"
        placeholder="aws/…/instance/web-0"
        value={filter.address}
        change={change}
        isFirst
      />
      <Choices label="Type" choices={types} value={filter.type} choose={(type) => change({ type })} />
      <Choices label="Verb" choices={verbs} value={filter.verb} choose={(verb) => change({ verb })} />
      {text('actor', 'Person', 'Anybody')}
      {text('reconcileId', 'Reconcile', 'Id of a reconcile')}
      <Choices
        label="Time"
        choices={[...times, { value: 'range', text: 'From … until …' }]}
        value={showsRange ? 'range' : filter.since}
        choose={(since) => {
          setWantsRange(since === 'range');
          change({ since: since === 'range' ? instantOf(filter.since) : since, until: undefined });
        }}
      />
      {showsRange ? (
        <>
          <TimeFilter name="since" label="From" value={filter.since} change={change} />
          <TimeFilter name="until" label="Until" value={filter.until} change={change} />
        </>
      ) : null}
      <button
        type="button"
        className="button more-filters"
        aria-expanded={isOpen}
        onClick={() => setOpen((before) => !before)}
      >
        {isOpen ? 'Fewer filters' : 'More filters'}
      </button>
      {Object.keys(narrowing).length === 0 ? null : (
        <button
          type="button"
          className="button"
          onClick={() => {
            setWantsRange(false);
            change(cleared);
          }}
        >
          Clear
        </button>
      )}
    </search>
  );
}

const isValue =
  (value: string) =>
  (choice: Choice): boolean =>
    choice.value === value;

const cleared: LedgerFilter = Object.fromEntries(
  filterKeys.filter((key) => key !== 'estate').map((key) => [key, undefined]),
);

interface ChoicesProps {
  readonly label: string;
  readonly choices: readonly Choice[];
  readonly value: string | undefined;
  choose(value: string | undefined): void;
}

/** A value of the address that is no choice stays one: the API refuses it in words. */
function Choices({ label, choices, value = '', choose }: ChoicesProps) {
  const id = useId();
  return (
    <div className="field">
      <label className="field-label" htmlFor={id}>
        {label}
      </label>
      <select id={id} value={value} onChange={({ target }) => choose(target.value || undefined)}>
        <option value="">Any</option>
        {choices.map(({ value: one, text }) => (
          <option key={one} value={one}>
            {text}
          </option>
        ))}
        {value === '' || choices.some(isValue(value)) ? null : <option value={value}>{value}</option>}
      </select>
    </div>
  );
}

interface InputProps extends Pick<LedgerFilterBarProps, 'change'> {
  readonly name: LedgerFilterKey;
  readonly label: string;
  readonly value: string | undefined;
}

/** Enter, or leaving the field, asks. `isFirst`: the key `/` leads to it. */
function TextFilter({
  name,
  label,
  value = '',
  placeholder,
  change,
  isFirst = false,
}: InputProps & { readonly placeholder: string; readonly isFirst?: boolean }) {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (input.current !== null) input.current.value = value;
  }, [value]);
  useSlashKey(input, isFirst);
  const ask = (): void => {
    const typed = input.current?.value.trim() ?? '';
    if (typed !== value) change({ [name]: typed || undefined });
  };
  const onKeyDown = ({ key }: KeyboardEvent): void => {
    if (key === 'Enter') ask();
  };
  return (
    <label className={isFirst ? 'field field-q' : 'field field-text'}>
      <span>{label}</span>
      <input
        ref={input}
        type="search"
        defaultValue={value}
        placeholder={placeholder}
        spellCheck={false}
        autoComplete="off"
        onBlur={ask}
        onKeyDown={onKeyDown}
      />
    </label>
  );
}

/** In the time zone of the browser; the address has it in UTC, or as an age. */
const TimeFilter = ({ name, label, value, change }: InputProps) => (
  <label className="field field-time">
    <span>{label}</span>
    <input
      type="datetime-local"
      value={localTime(value)}
      onChange={({ target }) =>
        change({ [name]: target.value === '' ? undefined : new Date(target.value).toISOString() })
      }
    />
  </label>
);

function localTime(value: string | undefined): string {
  const instant = instantOf(value);
  if (instant === undefined) return '';
  const at = new Date(instant);
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

const instantOf = (value: string | undefined): string | undefined => timeOf(value, Date.now());
