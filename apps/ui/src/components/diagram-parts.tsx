import type { Box } from "./routing-layout.ts";

interface DiagramBoxProps {
  readonly box: Box;
  readonly title: string;
  readonly note: string;
  readonly third?: string;
  readonly isStrong?: boolean;
  readonly isDashed?: boolean;
  /** Fill class of the bar at the left edge. */
  readonly bar?: string;
  /** Text in the upper right, with its fill class. */
  readonly corner?: string | null;
  readonly cornerTone?: string;
  /** Text in the lower right. */
  readonly foot?: string | null;
}

/** Maximum width of one character in a name and in a note. */
const NAME_CHARACTER = 6.7;
const NOTE_CHARACTER = 5.9;

/** Box with a name and a note. Text that doesn't fit is truncated and shown in full in the title. */
export function DiagramBox(props: DiagramBoxProps) {
  const { box, title, note, third, isStrong = false, isDashed = false, bar, corner = null, foot = null } = props;
  const right = box.x + box.width - 12;
  const room = box.width - 26;
  const fitted = (text: string, character: number, beside: string | null) =>
    cut(text, Math.floor((room - (beside === null ? 0 : beside.length * NOTE_CHARACTER + 10)) / character));
  const line = box.y + 21;
  return (
    <g>
      <title>{[title, note, third, corner, foot].filter(Boolean).join(", ")}</title>
      <rect
        x={box.x}
        y={box.y}
        width={box.width}
        height={box.height}
        rx={6}
        strokeDasharray={isDashed ? "4 3" : undefined}
        className={`fill-surface ${isStrong ? "stroke-text" : "stroke-outline-soft"}`}
      />
      {bar !== undefined && (
        <rect x={box.x} y={box.y + 8} width={3} height={box.height - 16} rx={1.5} className={bar} />
      )}
      <text x={box.x + 14} y={line} className="fill-text text-table font-medium">
        {fitted(title, NAME_CHARACTER, corner)}
      </text>
      <text x={box.x + 14} y={line + 17} className="fill-muted">
        {fitted(note, NOTE_CHARACTER, foot)}
      </text>
      {third !== undefined && (
        <text x={box.x + 14} y={line + 33} className="fill-muted text-[11px]">
          {fitted(third, NOTE_CHARACTER, null)}
        </text>
      )}
      {corner !== null && (
        <text x={right} y={line} textAnchor="end" className={`font-medium ${props.cornerTone ?? "fill-text"}`}>
          {corner}
        </text>
      )}
      {foot !== null && (
        <text x={right} y={line + 17} textAnchor="end" className="fill-muted">
          {foot}
        </text>
      )}
    </g>
  );
}

interface DiagramArrowProps {
  readonly from: Box;
  readonly to: Box;
  readonly width?: number;
  /** Uses the color of successful requests. */
  readonly isMain?: boolean;
  readonly isDashed?: boolean;
}

/** Arrow from the right edge of one box to the left edge of another. */
export function DiagramArrow({ from, to, width = 1.25, isMain = false, isDashed = false }: DiagramArrowProps) {
  const [x1, y1] = [from.x + from.width, from.y + from.height / 2];
  const [x2, y2] = [to.x - 1, to.y + to.height / 2];
  const middle = (x1 + x2) / 2;
  return (
    <g className={`fill-none ${isMain ? "stroke-s-gen" : "stroke-outline"}`}>
      <path
        d={`M${x1} ${y1}C${middle} ${y1} ${middle} ${y2} ${x2} ${y2}`}
        strokeWidth={width}
        strokeDasharray={isDashed ? "4 3" : undefined}
      />
      <path d={`M${x2 - 6} ${y2 - 4}L${x2} ${y2}L${x2 - 6} ${y2 + 4}`} strokeWidth={Math.min(1.75, width)} />
    </g>
  );
}

interface DiagramNoteProps {
  readonly x: number;
  readonly y: number;
  readonly text: string;
  readonly isCentered?: boolean;
}

/** Small label beside a line. Its background hides lines behind the text. */
export function DiagramNote({ x, y, text, isCentered = false }: DiagramNoteProps) {
  return (
    <text
      x={x}
      y={y}
      textAnchor={isCentered ? "middle" : "start"}
      strokeWidth={5}
      strokeDasharray="none"
      paintOrder="stroke"
      className="fill-muted stroke-surface text-[11px]"
    >
      {text}
    </text>
  );
}

function cut(text: string, room: number): string {
  return text.length <= room ? text : `${text.slice(0, Math.max(1, room - 1))}…`;
}
