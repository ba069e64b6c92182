/** A transcript, with the times of its segments if they are known. */
export interface Transcript {
  readonly text: string;
  readonly segments: readonly TranscriptSegment[] | null;
}

interface TranscriptSegment {
  /** Times in seconds from the beginning of the audio. */
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Writes a transcript in a text format. Returns null if the format needs times that aren't known. */
export function renderTranscript(format: "text" | "srt" | "vtt", { text, segments }: Transcript): string | null {
  if (format === "text") return `${text}\n`;
  if (segments === null) return null;
  return format === "srt" ? renderSrt(segments) : renderVtt(segments);
}

function renderSrt(segments: readonly TranscriptSegment[]): string {
  return segments
    .map(({ start, end, text }, index) => {
      const times = `${writeMoment(start, true, ",")} --> ${writeMoment(end, true, ",")}`;
      return `${index + 1}\n${times}\n${oneLine(text)}\n\n`;
    })
    .join("");
}

function renderVtt(segments: readonly TranscriptSegment[]): string {
  const cues = segments.map(({ start, end, text }) => {
    // Escape "-->" so that players don't parse it as a cue timing.
    const words = oneLine(text).replaceAll("-->", "->");
    return `${writeMoment(start, false, ".")} --> ${writeMoment(end, false, ".")}\n${words}\n\n`;
  });
  return `WEBVTT\n\n${cues.join("")}`;
}

/** Joins the lines, because an empty line would end the subtitle cue. */
function oneLine(text: string): string {
  return text.trim().replaceAll(/\s*[\r\n]+\s*/g, " ");
}

function writeMoment(seconds: number, alwaysHours: boolean, mark: string): string {
  const milliseconds = Math.round(seconds * 1_000);
  const two = (value: number) => String(value).padStart(2, "0");
  const hours = Math.floor(milliseconds / 3_600_000);
  const minutes = Math.floor(milliseconds / 60_000) % 60;
  const rest = `${two(Math.floor(milliseconds / 1_000) % 60)}${mark}${String(milliseconds % 1_000).padStart(3, "0")}`;
  return alwaysHours || hours > 0 ? `${two(hours)}:${two(minutes)}:${rest}` : `${two(minutes)}:${rest}`;
}
