import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { client } from "../../api/client.ts";
import { Button } from "../../components/button.tsx";
import { ConfirmDialog } from "../../components/confirm-dialog.tsx";
import { useToast } from "../../components/toast.tsx";
import { plural } from "../../format/plural.ts";
import { type ApiKey, wasUsedWithin } from "./api-key.ts";
import { RECENT_DAYS, touchedByKeys } from "./key-actions.tsx";

interface BulkActionsProps {
  readonly keys: readonly ApiKey[];
  /** Called with the keys that could not be changed. They stay selected. */
  readonly onDone: (left: readonly string[]) => void;
}

/** Actions on several keys, run one after another, with a report of failures. */
export function BulkActions({ keys, onDone }: BulkActionsProps) {
  const [asked, setAsked] = useState<"block" | "delete" | null>(null);
  const [isBusy, setBusy] = useState(false);
  const queries = useQueryClient();
  const toast = useToast();
  const run = async (change: (key: ApiKey) => Promise<unknown>, word: string) => {
    setBusy(true);
    const failed: ApiKey[] = [];
    for (const key of keys) {
      try {
        await change(key);
      } catch (error) {
        failed.push(key);
        toast.failed(error, `The change to key ${key.name}`);
      }
    }
    const count = keys.length - failed.length;
    if (count > 0) toast.done(`${plural(count, "key")} ${word}`);
    setBusy(false);
    setAsked(null);
    await Promise.all(touchedByKeys.map((id) => queries.invalidateQueries({ queryKey: [id] })));
    onDone(failed.map(({ id }) => id));
  };
  const setDisabled = (disabled: boolean) => (key: ApiKey) =>
    client.call("updateApiKey", { body: { token: key.id, disabled } });
  const used = keys.filter((key) => wasUsedWithin(key, RECENT_DAYS, new Date())).length;
  return (
    <div
      role="toolbar"
      aria-label="Selected keys"
      className="flex flex-wrap items-center gap-2 rounded-control border border-border bg-selected px-3 py-1.5 text-table"
    >
      <span className="font-medium">{plural(keys.length, "key")} selected</span>
      <Button size="sm" onClick={() => setAsked("block")}>
        Block
      </Button>
      <Button size="sm" busy={isBusy && asked === null} onClick={() => void run(setDisabled(false), "unblocked")}>
        Unblock
      </Button>
      <Button size="sm" variant="danger" onClick={() => setAsked("delete")}>
        Delete
      </Button>
      <Button size="sm" variant="ghost" className="ml-auto" onClick={() => onDone([])}>
        Clear
      </Button>
      {asked !== null && (
        <ConfirmDialog
          open
          title={`${asked === "block" ? "Block" : "Delete"} ${plural(keys.length, "key")}`}
          consequence={
            <>
              {asked === "block"
                ? "Requests with these keys are refused until you unblock them. "
                : "Requests with these keys fail permanently. Their logs and costs remain available. "}
              {used > 0 && `${plural(used, "key was", "keys were")} used in the last ${RECENT_DAYS} days. `}
              <span className="mt-2 block text-meta text-muted">{keys.map(({ name }) => name).join(", ")}</span>
            </>
          }
          confirmLabel={`${asked === "block" ? "Block" : "Delete"} ${plural(keys.length, "key")}`}
          typeToConfirm={asked === "delete" && used > 0 ? `delete ${keys.length}` : null}
          busy={isBusy}
          onConfirm={() =>
            void (asked === "block"
              ? run(setDisabled(true), "blocked")
              : run((key) => client.call("removeApiKey", { body: { apiKey: key.id } }), "deleted"))
          }
          onClose={() => setAsked(null)}
        />
      )}
    </div>
  );
}
