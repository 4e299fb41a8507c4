import type { Row } from '../../src/core/inventory/row.ts';
import type { Store } from '../../src/ports/store.ts';
import { estate } from './estate.ts';

/** Each would run, load, break out, turn the line around or push its row apart, if a screen took it for more than text. */
const seeds: readonly string[] = [
  `"><script>window.hostile=1</script>`,
  `<img src=x onerror="window.hostile=1">`,
  `'><svg onload=window.hostile=1>`,
  `<iframe srcdoc="<script>parent.hostile=1</script>"></iframe>`,
  `javascript:window.hostile=1`,
  `" onmouseover="window.hostile=1" onfocus="window.hostile=1" autofocus="`,
  `</td></tr></table><h1>broken out</h1>`,
  `</textarea></title></style></script><b>bold</b>`,
  `<style>*{display:none!important}</style>`,
  `<base href="//hostile.example/"><link rel=stylesheet href=//hostile.example/x.css>`,
  `<form action=//hostile.example><button autofocus>go</button></form>`,
  `<meta http-equiv=refresh content="0;url=//hostile.example">`,
  `\${window.hostile=1}{{constructor.constructor('window.hostile=1')()}}`,
  `&lt;img src=x onerror=window.hostile=1&gt;&#60;script&#62;`,
  `\u202ereversed \u2066isolated \u200fmarks`,
  `line\none\r\ntwo\ttabs\u2028three\u2029four`,
  `Z${'\u0301\u0316\u0334\u0489'.repeat(60)}`,
  `${'W'.repeat(180)}`,
  `${'\ufdfd'.repeat(40)}`,
  `\u0001\u0007\u001b[31mred\u001b[0m\u007f\u0085`,
  `__proto__`,
  `../../../../etc/passwd?x=1#y&z=%00%0d%0aSet-Cookie:a=b`,
  `=HYPERLINK("//hostile.example","x")`,
  `${'\u{1f469}\u200d\u{1f469}\u200d\u{1f467}'.repeat(20)}`,
  `   \u00a0\u3000\u200b  `,
];

export const hostileCount = 200;

/** The texts, each of them once. */
export const hostileTexts: readonly string[] = Array.from({ length: hostileCount }, (_, at) => {
  const seed = seeds[at % seeds.length] ?? '';
  return [`${at}${seed}`, `${seed}${at}`, `${at} x ${seed} y`][Math.floor(at / seeds.length) % 3] ?? seed;
});

const place = { cloud: 'aws', account: '111122223330', region: 'ap-south-1' } as const;
const scope = `${place.cloud}/${place.account}/${place.region}`;

export const hostilePlace = { estate, scope };

/** Each in a name, a tag, an id, an owner, a reason, its maker and a change of a field. */
export const hostileRows: readonly Row[] = hostileTexts.map((text, at): Row => {
  const id = `vpc-${String(at).padStart(4, '0')}`;
  const attributes = { cidr: '10.0.0.0/16', internet: true, labels: { [`k${text}`]: text, plain: text } };
  return {
    key: `network ${id}`,
    place: { ...place, scope, kind: 'network', targets: [`${place.account}-${place.region}`] },
    called: { name: text, id, labels: attributes.labels },
    whose: { claim: 'unmanaged', documents: [], owner: text },
    state: {
      ...{ status: at % 2 === 0 ? 'Unmanaged' : 'Drifted', reason: text, generation: 0 },
      by: { who: text, action: text, event: text, at: Date.now() },
    },
    sides: {
      observed: {
        ...{ attributes, state: 'ready', parts: [{ part: text, id: text }] },
        origin: { why: 'other-tool', detail: text, maker: text },
      },
      diff: [{ field: 'labels.plain', from: text, to: `${text}.` }],
    },
  };
});

/** The same texts as reasons of people, messages of sources, and revisions with the subject of their commit. */
export async function speakHostile({ ledger, rows, sources }: Store): Promise<void> {
  await rows.keep(hostilePlace, { at: Date.now(), rows: hostileRows, gaps: [] });
  for (const [at, text] of hostileTexts.entries()) {
    await ledger.note(estate, { approve: { person: text, reason: text, digest: text, revision: `git:${at} ${text}` } });
    if (at % 10 !== 0) continue;
    const broken = { source: text, head: `git:${at} ${text}`, state: 'broken', why: text } as const;
    await sources.states.record(estate, broken);
  }
}
