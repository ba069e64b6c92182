/** Chart styles and the colors for both themes, shared by the page and standalone SVG files. */
export const THEME = `:root{color-scheme:light dark;--bg:#FCFCFB;--surface:#FFFFFF;--sunken:#F4F4F2;--border:#E3E4E0;--outline:#8B8E88;--text:#1B1C1A;--muted:#5C5F5A;--accent:#0F6E62;--danger:#B4232A;--warning:#8A5A00;--success:#1E7A3C;--info:#1D5FA8;--s1:#0F6E62;--s2:#B4561C;--s3:#4B5FC0;--s4:#96377F;--s5:#7A6A00;--s6:#3C7FA6;--s7:#8C3B3B;--s8:#5F6561}
@media (prefers-color-scheme:dark){:root{--bg:#121413;--surface:#191C1B;--sunken:#0D0F0E;--border:#2A2E2C;--outline:#6B716D;--text:#ECEEEC;--muted:#A3A8A4;--accent:#4CC7B4;--danger:#F2797E;--warning:#E0B050;--success:#5FC98A;--info:#78B3F2;--s1:#4CC7B4;--s2:#F0955A;--s3:#93A4F5;--s4:#E083C8;--s5:#D6C24A;--s6:#7CC0E6;--s7:#E79A9A;--s8:#A3A8A4}}`;

export const FONT = '"IBM Plex Sans",system-ui,-apple-system,"Segoe UI",Roboto,sans-serif';

const SERIES = [1, 2, 3, 4, 5, 6, 7, 8];
const series = (rule: (name: string, number: number) => string) =>
  SERIES.map((number) => rule(`var(--s${number})`, number)).join("");

// Series differ by dash as well as by color, so that a chart is readable without distinguishing colors.
const DASHES = ["none", "7 3", "2 3", "9 3 2 3", "5 2", "1 3", "12 4", "3 5"];

export const CHART_STYLE = `svg.chart{font:12px/16px ${FONT};font-variant-numeric:tabular-nums;display:block;overflow:visible}
svg.chart text{fill:var(--muted)}svg.chart .grid{stroke:var(--border)}svg.chart .axis{stroke:var(--outline)}
svg.chart .line{fill:none;stroke-width:1.25;opacity:.8;stroke-linejoin:round;stroke-linecap:round}svg.chart .line.main{stroke-width:2.5;opacity:1}
svg.chart .band{fill:var(--s1);opacity:.13}svg.chart .best{fill:none;stroke:var(--text);stroke-width:1.5}
svg.chart .bar{stroke:var(--surface)}svg.chart .span{opacity:.35}svg.chart text.strong{fill:var(--text);font-weight:600}
${series((color, n) => `svg.chart .c${n}{stroke:${color}}svg.chart .f${n}{fill:${color}}svg.chart .line.c${n}{stroke-dasharray:${DASHES[n - 1]}}`)}`;

/** Makes a chart a standalone file with its own colors. */
export function standaloneSvg(svg: string): string {
  const style = `<style>${THEME}\n${CHART_STYLE}\nsvg.chart{background:var(--surface)}</style>`;
  return `<?xml version="1.0" encoding="UTF-8"?>\n${svg.replace(/(<svg [^>]*>)/, `$1${style}`)}\n`;
}
