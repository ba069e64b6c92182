import { Download } from "lucide-react";
import { client } from "../../api/client.ts";
import { plainUsd, toCsv } from "../../charts/csv.ts";
import { Button } from "../../components/button.tsx";
import type { Call } from "../../components/logged-call.ts";
import { Menu } from "../../components/menu.tsx";
import { saveFile } from "../../components/save-file.ts";
import { useToast } from "../../components/toast.tsx";
import { plural } from "../../format/plural.ts";
import type { LogsQuery } from "./log-query.ts";

interface ExportMenuProps {
  readonly rows: readonly Call[];
  readonly query: LogsQuery;
}

/** Exports the visible rows, or all matching rows, as a file. */
export function ExportMenu({ rows, query }: ExportMenuProps) {
  const toast = useToast();
  const saveAll = async () => {
    try {
      const text = await client.call("listLogs", { query: { ...query, format: "csv" } });
      saveFile("logs.csv", "text/csv", String(text));
    } catch (error) {
      toast.failed(error, "The export");
    }
  };
  const shown = `${plural(rows.length, "row")} on screen`;
  return (
    <Menu
      label="Export"
      trigger={<Button icon={<Download size={14} strokeWidth={1.5} aria-hidden />}>Export</Button>}
      items={[
        { label: `CSV, ${shown}`, onSelect: () => saveFile("logs.csv", "text/csv", toCsv(toTable(rows))) },
        { label: `JSON, ${shown}`, onSelect: () => saveFile("logs.json", "application/json", toJson(rows)) },
        // A search in stored contents finds only a part of the matching rows at a time.
        ...(query.content === undefined ? [{ label: "CSV, all matching rows", onSelect: () => void saveAll() }] : []),
      ]}
    />
  );
}

const fields = [
  "createdAt",
  "id",
  "requestId",
  "class",
  "weight",
  "httpStatus",
  "errorCode",
  "model",
  "fallbackFrom",
  "provider",
  "apiKeyName",
  "teamName",
  "endpoint",
  "stream",
  "promptTokens",
  "cachedTokens",
  "completionTokens",
  "reasoningTokens",
  "latencyMs",
  "timeToFirstTokenMs",
] as const;

function toTable(rows: readonly Call[]) {
  return {
    head: [...fields, "costUsd"],
    rows: rows.map((call) => [...fields.map((field) => String(call[field] ?? "")), plainUsd(call.cost)]),
  };
}

/** Writes amounts in nano-USD as strings, so that parsers don't round them. */
function toJson(rows: readonly Call[]): string {
  return JSON.stringify(rows, (_, value: unknown) => (typeof value === "bigint" ? value.toString() : value), 2);
}
