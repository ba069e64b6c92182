/** A terminal line and the time at which it appeared. */
export interface RecordedLine {
  readonly atMs: number;
  readonly text: string;
}

const COLUMNS = 108;
const LINE_PX = 19;
const PADDING_PX = 16;
const CHARACTER_PX = 7.8;
/** Pause after the last line, before the recording restarts. */
const LENGTH_SECONDS = 20;

/** Returns an animated SVG that replays the lines over twenty seconds, without a script. */
export function drawRecording(lines: readonly RecordedLine[]): string {
  const shown = lines.flatMap(({ atMs, text }) => wrap(mask(text)).map((part) => ({ atMs, text: part })));
  const width = Math.ceil(COLUMNS * CHARACTER_PX + 2 * PADDING_PX);
  const height = shown.length * LINE_PX + 2 * PADDING_PX;
  const styles = shown.map(({ atMs }, index) => drawTiming(index, atMs / 1_000)).join("\n");
  const texts = shown.map(({ text }, index) => drawLine(index, text)).join("\n");
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" role="img" aria-label="A terminal in which tollgate dev starts and a curl command gets a completion">
<style>
text { font: 13px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; fill: #d7dae0; white-space: pre; }
.typed { fill: #8fd3a8; }
${styles}
</style>
<rect width="100%" height="100%" rx="8" fill="#14161a"/>
${texts}
</svg>
`;
}

function drawTiming(index: number, seconds: number): string {
  const start = Math.min(99, (seconds / LENGTH_SECONDS) * 100).toFixed(2);
  return `@keyframes l${index} { 0%, ${start}% { opacity: 0 } ${(Number(start) + 0.01).toFixed(2)}%, 100% { opacity: 1 } }
#l${index} { animation: l${index} ${LENGTH_SECONDS}s infinite step-end }`;
}

function drawLine(index: number, text: string): string {
  const y = PADDING_PX + (index + 0.75) * LINE_PX;
  const kind = text.startsWith("$ ") ? ' class="typed"' : "";
  return `<text id="l${index}" x="${PADDING_PX}" y="${y.toFixed(1)}"${kind}>${escapeMarkup(text)}</text>`;
}

/** Masks the key. It belongs to a deleted instance, but a key in an image would still worry readers. */
const mask = (text: string): string => text.replace(/sk-tg-\w+/g, "sk-tg-…").replace(/(dev@localhost {2})\S+/, "$1…");

function wrap(text: string): string[] {
  const parts: string[] = [];
  for (let rest = text; ; rest = rest.slice(COLUMNS)) {
    parts.push(rest.slice(0, COLUMNS));
    if (rest.length <= COLUMNS) return parts;
  }
}

const escapeMarkup = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
