/** How the docs page looks, in light and dark. */
export const style = `:root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif; }
body { margin: 0; display: grid; grid-template: auto 1fr / minmax(16rem, 22rem) minmax(0, 1fr); }
header { grid-column: 1 / -1; padding: 1rem 2rem; border-bottom: 1px solid #8886; }
nav { padding: 0 1rem 2rem 2rem; font-size: 13px; position: sticky; top: 0; max-height: 100vh; overflow: auto; }
nav ul { list-style: none; padding: 0; }
nav a { text-decoration: none; overflow-wrap: anywhere; }
main { padding: 0 2rem 4rem; }
h1, h2, h3 { line-height: 1.25; }
h3 b, nav b { font: 600 12px ui-monospace, monospace; }
article { border-top: 1px solid #8883; padding-bottom: 1rem; }
code, pre { font: 13px/1.45 ui-monospace, monospace; }
pre { margin: .25rem 0; padding: .5rem .75rem; overflow: auto; background: #8881; border-radius: 4px; max-height: 28rem; }
table { border-collapse: collapse; width: 100%; }
td { border-top: 1px solid #8883; padding: .25rem .75rem .25rem 0; vertical-align: top; }
.needs { color: #777; }
@media (max-width: 60rem) { body { display: block; } nav { position: static; max-height: none; } }
`;
