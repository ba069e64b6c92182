import { useState } from "react";
import { useConfig } from "../../api/config.ts";
import { useCall, useChange } from "../../api/queries.ts";
import { Button } from "../../components/button.tsx";
import { CodeBlock } from "../../components/code-block.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { Notice } from "../../components/notice.tsx";

const DISMISSED = "assistants-migration";

/** Notice for users of OpenAI's retired Assistants API that their code runs here. Users can dismiss it permanently. */
export function MigrationNotice() {
  const preferences = useCall("getPreferences", {}, { staleMs: 60_000 });
  const update = useChange("updatePreferences", { invalidates: ["getPreferences"] });
  const [isOpen, setOpen] = useState(false);
  const dismissed = preferences.data?.preferences.dismissed;
  if (dismissed === undefined || dismissed.includes(DISMISSED)) return null;
  return (
    <>
      <Notice
        tone="info"
        title="Coming from OpenAI?"
        action={
          <Button
            size="sm"
            variant="ghost"
            onClick={() => update.mutate({ body: { dismissed: [...dismissed, DISMISSED] } })}
          >
            Dismiss
          </Button>
        }
      >
        The OpenAI Assistants API shut down on August 26, 2026. Code written for it runs here unchanged, on any model.{" "}
        <button type="button" onClick={() => setOpen(true)} className="font-medium text-accent hover:underline">
          How to migrate
        </button>
      </Notice>
      <MigrationDialog isOpen={isOpen} onClose={() => setOpen(false)} />
    </>
  );
}

function MigrationDialog({ isOpen, onClose }: { readonly isOpen: boolean; readonly onClose: () => void }) {
  const { apiUrl } = useConfig();
  return (
    <Dialog title="Migrate from the OpenAI Assistants API" open={isOpen} onClose={onClose} width={680}>
      <div className="grid grid-cols-[minmax(0,1fr)] gap-2">
        <h3 className="text-table font-semibold">1. Change the base URL</h3>
        <CodeBlock
          tabs={[
            {
              label: "TypeScript",
              code: `const client = new OpenAI({\n  baseURL: "${apiUrl}/v1",\n  apiKey: process.env.TOLLGATE_API_KEY,\n});`,
            },
            {
              label: "Python",
              code: `client = OpenAI(\n    base_url="${apiUrl}/v1",\n    api_key=os.environ["TOLLGATE_API_KEY"],\n)`,
            },
          ]}
        />
        <p className="text-table text-muted">
          Assistants, threads, messages, and runs with streaming and tool calls work as before. An assistant can use any
          model on this server. The code_interpreter and file_search tools require an executor and are rejected without
          one.
        </p>
      </div>
      <div className="grid grid-cols-[minmax(0,1fr)] gap-2">
        <h3 className="text-table font-semibold">2. Import your exported data</h3>
        <CodeBlock
          tabs={[
            {
              label: "Shell",
              code: "tollgate import assistants --file export.jsonl --dry-run\ntollgate import assistants --file export.jsonl",
            },
          ]}
        />
        <p className="text-table text-muted">Data that OpenAI no longer provides can't be recovered.</p>
      </div>
    </Dialog>
  );
}
