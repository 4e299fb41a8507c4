import { useEffect, useRef } from 'react';
import Plot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import type { SloHistory, SloPart } from '../api.d.ts';
import { Table } from '../components.tsx';
import { absoluteTime, spanText } from '../time.ts';

/** One line over time. `measure`: undefined where nothing was measured, which leaves a gap in the line. */
interface Series {
  readonly title: string;
  readonly tone: 'wrong' | 'attention' | 'accent';
  readonly measure: (part: SloPart) => number | undefined;
  readonly textOf: (value: number) => string;
  /** The least value that the scale reaches, so that a flat line is not drawn as a mountain. */
  readonly least: number;
}

const counted = (value: number): string => (Number.isInteger(value) ? `${value}` : '');

const series: readonly Series[] = [
  { title: 'Out of sync', tone: 'wrong', measure: ({ outOfSync }) => outOfSync, textOf: counted, least: 4 },
  { title: 'Drifted', tone: 'attention', measure: ({ drifted }) => drifted, textOf: counted, least: 4 },
  {
    title: 'Converged P95',
    tone: 'accent',
    measure: ({ p95Seconds }) => p95Seconds,
    textOf: (value) => (value === 0 ? '0' : spanText(value)),
    least: 60,
  },
];

/** Drift and convergence over time as three charts, and the same numbers as a table. */
export function Trends({ history: { parts } }: { readonly history: SloHistory }) {
  const known = parts.filter(({ resources, inSync }) => resources > 0 || inSync !== undefined);
  if (known.length === 0) return null;
  return (
    <>
      <div className="trends">
        {series.map((one) => (
          <Trend key={one.title} series={one} parts={parts} />
        ))}
      </div>
      <details className="small rest">
        <summary>The same as a table</summary>
        <Table name="Drift and convergence over time" columns={columns}>
          {known.toReversed().map((part) => (
            <tr key={part.since}>
              <th scope="row">{absoluteTime(part.until)}</th>
              <td className="right number">{part.resources}</td>
              {series.map((one) => (
                <td key={one.title} className="right number">
                  {shown(one, part)}
                </td>
              ))}
              <td className="right number">
                {part.inSync === undefined ? '–' : `${(part.inSync * 100).toFixed(2)} %`}
              </td>
            </tr>
          ))}
        </Table>
      </details>
    </>
  );
}

const columns = [
  'Until',
  ...['Resources', ...series.map(({ title }) => title), 'In sync'].map((title) => ({ title, isNumber: true }) as const),
];

function shown({ measure, textOf }: Series, part: SloPart): string {
  const value = measure(part);
  return value === undefined ? '–' : textOf(value);
}

interface TrendProps {
  readonly series: Series;
  readonly parts: readonly SloPart[];
}

function Trend({ series: one, parts }: TrendProps) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = place.current;
    if (element === null) return undefined;
    const isDark = matchMedia('(prefers-color-scheme: dark)');
    let plot = drawn(one, parts, element);
    const again = (): void => {
      plot.destroy();
      plot = drawn(one, parts, element);
    };
    const size = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height }));
    size.observe(element);
    isDark.addEventListener('change', again);
    return () => {
      isDark.removeEventListener('change', again);
      size.disconnect();
      plot.destroy();
    };
  }, [one, parts]);
  return (
    <figure>
      <figcaption>{one.title}</figcaption>
      <p className="hidden">{summaryOf(one, parts)}</p>
      <div ref={place} aria-hidden="true" />
    </figure>
  );
}

const height = 130;

/** For screen readers: `Most 4, now 1.` */
function summaryOf({ measure, textOf }: Series, parts: readonly SloPart[]): string {
  const values = parts.flatMap((part) => measure(part) ?? []);
  const last = values.at(-1);
  return last === undefined ? 'Nothing was measured.' : `Most ${textOf(Math.max(...values))}, last ${textOf(last)}.`;
}

function drawn({ title, tone, measure, textOf, least }: Series, parts: readonly SloPart[], element: HTMLElement): Plot {
  const style = getComputedStyle(element);
  const colour = (name: string): string => style.getPropertyValue(`--${name}`).trim();
  const axis = {
    stroke: colour('quiet'),
    grid: { stroke: colour('line'), width: 1 },
    ticks: { stroke: colour('line'), width: 1 },
    font: `11px ${style.fontFamily}`,
  };
  const options: Plot.Options = {
    ...{ width: element.clientWidth, height },
    cursor: { y: false, drag: { x: false, y: false } },
    legend: { show: false },
    scales: { y: { range: (_, __, most) => [0, Math.max((most ?? 0) * 1.08, least)] } },
    axes: [axis, { ...axis, size: 52, values: (_, splits) => splits.map(textOf) }],
    series: [
      {},
      {
        label: title,
        stroke: colour(tone),
        width: 1.5,
        points: { show: true, size: 4, fill: colour(tone) },
        spanGaps: false,
      },
    ],
  };
  const times = parts.map(({ until }) => Date.parse(until) / 1000);
  return new Plot(options, [times, parts.map((part) => measure(part) ?? null)], element);
}
