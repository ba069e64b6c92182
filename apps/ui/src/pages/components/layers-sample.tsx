import { useState } from "react";
import { Button } from "../../components/button.tsx";
import { CodeBlock } from "../../components/code-block.tsx";
import { ConfirmDialog } from "../../components/confirm-dialog.tsx";
import { CopyButton } from "../../components/copy-button.tsx";
import { DetailPanel, DetailSection } from "../../components/detail-panel.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { Panel } from "../../components/panel.tsx";
import { Sheet } from "../../components/sheet.tsx";
import { useToast } from "../../components/toast.tsx";

type Layer = "dialog" | "secret" | "confirm" | "detail" | "sheet";

/** Samples of layers above the page, and code blocks. */
export function LayersSample() {
  const toast = useToast();
  const [layer, setLayer] = useState<Layer | null>(null);
  const close = () => setLayer(null);
  return (
    <Panel title="Layers and code">
      <div className="grid gap-4">
        <div className="flex flex-wrap gap-2">
          <Button onClick={() => setLayer("dialog")}>Dialog</Button>
          <Button onClick={() => setLayer("secret")}>Secret</Button>
          <Button onClick={() => setLayer("confirm")}>Confirmation</Button>
          <Button onClick={() => setLayer("detail")}>Detail panel</Button>
          <Button onClick={() => setLayer("sheet")}>Sheet</Button>
          <Button onClick={() => toast.done("Key ci-bot blocked", () => {})}>Toast</Button>
          <Button onClick={() => toast.failed(new TypeError("fetch failed"), "Blocking ci-bot")}>Failed toast</Button>
        </div>
        <CodeBlock tabs={SNIPPETS} note="The key is read from the environment, not from the code." />
      </div>
      <Dialog
        title="Invite members"
        note="Each recipient gets an email with a link."
        open={layer === "dialog"}
        onClose={close}
      >
        <p>Separate addresses with commas, spaces, or line breaks.</p>
      </Dialog>
      <Dialog
        title="Key checkout-assistant is ready"
        note="This secret is shown only once. If you lose it, rotate the key."
        open={layer === "secret"}
        onClose={close}
        dismissable={false}
        width={600}
        footer={<Button onClick={close}>Done</Button>}
      >
        <div className="flex items-center gap-2 pl-3 pr-2 py-2 bg-sunken border border-outline rounded-control">
          <code className="grow min-w-0 font-mono text-table wrap-anywhere">
            sk-tg-a-secret-that-is-never-cut-short
          </code>
          <CopyButton variant="primary" text="sk-tg-a-secret-that-is-never-cut-short" />
        </div>
      </Dialog>
      <ConfirmDialog
        title="Delete key ci-bot"
        consequence="Requests with this key fail permanently. The key was used for 4,905 requests in the last 7 days."
        confirmLabel="Delete key"
        typeToConfirm="ci-bot"
        open={layer === "confirm"}
        onClose={close}
        onConfirm={close}
      />
      <Sheet title="Filters" open={layer === "sheet"} onClose={close}>
        Content that is too large for a side panel.
      </Sheet>
      {layer === "detail" ? (
        <DetailPanel
          title="req_01K9W3ZN8H4X"
          subtitle="12 Nov 2026, 14:04:53.031 UTC"
          onClose={close}
          onNext={() => {}}
          footer={<span className="text-meta text-muted">j k next or previous. Esc closes.</span>}
        >
          <DetailSection title="Route" note="model group claude-sonnet-4-5, weighted">
            <p className="text-table">Served by the second of two deployments.</p>
          </DetailSection>
          <DetailSection title="Cost">
            <p className="text-table">6,650 tokens.</p>
          </DetailSection>
        </DetailPanel>
      ) : null}
    </Panel>
  );
}

const SNIPPETS = [
  {
    label: "curl",
    code: 'curl https://gateway.example/v1/chat/completions \\\n  -H "x-gw-api-key: $TOLLGATE_KEY" \\\n  -d \'{"model": "gpt-5-mini"}\'',
  },
  {
    label: "TypeScript",
    code: 'import OpenAI from "openai";\n\n// Any model of the hub\nconst client = new OpenAI({ baseURL: "https://gateway.example/v1" });',
  },
];
