import { ChartColumn as ChartIcon, Download, Link as LinkIcon, Table } from "lucide-react";
import { type ReactNode, useState } from "react";
import { Button, IconButton } from "../components/button.tsx";
import { Panel } from "../components/panel.tsx";
import { saveFile } from "../components/save-file.ts";
import { useToast } from "../components/toast.tsx";
import { type ChartTable, toCsv } from "./csv.ts";
import { FigureTable } from "./figure-table.tsx";

interface ChartFrameProps {
  readonly title: string;
  /** Note after the title, such as `by model, USD`. */
  readonly note?: string;
  /** Time zone of days and hours, named in the file and, if there is space, beside the note. Null without times. */
  readonly zone?: string | null;
  /** One-sentence summary of the chart for screen readers. */
  readonly summary: string;
  readonly table: ChartTable;
  /** Unrounded values for the CSV file; defaults to the table on the page. */
  readonly csv?: ChartTable;
  /** File name without its extension, such as `spend-by-day`. */
  readonly fileName: string;
  /** Chart controls, shown before the frame's controls. */
  readonly actions?: ReactNode;
  /** For narrow frames: shows icons without labels, and leaves the time zone to the page, which names it once. */
  readonly isCompact?: boolean;
  readonly children: ReactNode;
}

/** Frame around a chart with its summary, data table, link, and CSV download. */
export function ChartFrame(props: ChartFrameProps) {
  const { title, note, zone = null, summary, table, csv = table, fileName, isCompact = false } = props;
  const [isTable, setIsTable] = useState(false);
  const toast = useToast();
  const zoneText = zone === null || isCompact ? undefined : `times in ${zone}`;
  const notes = [note, zoneText].filter((each) => each !== undefined);
  const copyLink = () => {
    void navigator.clipboard.writeText(location.href).then(
      () => toast.done("Link copied"),
      (error: unknown) => toast.failed(error),
    );
  };
  const toggle = { "aria-pressed": isTable, onClick: () => setIsTable(!isTable) };
  return (
    <Panel
      title={title}
      note={notes.join(", ")}
      actions={
        <>
          {props.actions}
          {isCompact ? (
            <IconButton
              size="sm"
              label={isTable ? "Show as chart" : "Show as table"}
              icon={isTable ? <ChartIcon size={14} strokeWidth={1.5} /> : <Table size={14} strokeWidth={1.5} />}
              {...toggle}
            />
          ) : (
            <Button size="sm" variant="ghost" {...toggle}>
              {isTable ? "Show as chart" : "Show as table"}
            </Button>
          )}
          <IconButton size="sm" label="Copy link" icon={<LinkIcon size={14} strokeWidth={1.5} />} onClick={copyLink} />
          <IconButton
            size="sm"
            label="Download CSV"
            icon={<Download size={14} strokeWidth={1.5} />}
            onClick={() => saveFile(`${fileName}.csv`, "text/csv", toCsv(withZone(csv, zone)))}
          />
        </>
      }
    >
      <figure>
        <figcaption className="sr-only">{summary}</figcaption>
        {isTable ? <FigureTable label={title} table={table} /> : props.children}
      </figure>
    </Panel>
  );
}

/** Adds the time zone to the CSV header because daily totals depend on it. */
function withZone(table: ChartTable, zone: string | null): ChartTable {
  const [first, ...others] = table.head;
  return zone === null || first === undefined ? table : { ...table, head: [`${first} (${zone})`, ...others] };
}
