import { Download } from "lucide-react";
import { useState } from "react";
import { useConfig } from "../../api/config.ts";
import { useCall } from "../../api/queries.ts";
import { Button } from "../../components/button.tsx";
import { Checkbox } from "../../components/checkbox.tsx";
import { CodeBlock } from "../../components/code-block.tsx";
import { CopyButton } from "../../components/copy-button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { quickStartCode } from "../../components/quick-start-code.ts";
import { saveFile } from "../../components/save-file.ts";
import { modelChoiceOf } from "./api-key.ts";
import type { NewSecret } from "./new-secret.ts";
import { TestRequest } from "./test-request.tsx";

/** Dialog that shows a secret once. Clicking outside it or pressing Escape doesn't close it. */
export function SecretDialog({ made, onDone }: { readonly made: NewSecret; readonly onDone: () => void }) {
  const [isStored, setStored] = useState(false);
  const { key, secret, isRotated } = made;
  const { apiUrl, keyHeader } = useConfig();
  const models = useTestableModels(key.models);
  const [model, setModel] = useState<string | null>(null);
  const chosen = model ?? models[0] ?? "sim/echo";
  const facts = { apiUrl, keyHeader, model: chosen };
  // The curl command is meant to be run immediately, so it contains the secret. Code samples may be saved, so they read
  // the secret from the environment.
  const [curl, ...languages] = [
    ...quickStartCode({ ...facts, apiKey: secret }).slice(0, 1),
    ...quickStartCode({ ...facts, apiKey: null }).slice(1),
  ];
  return (
    <Dialog
      open
      dismissable={false}
      onClose={onDone}
      width={688}
      title={isRotated ? `Key ${key.name} has a new secret` : `Key ${key.name} is ready`}
      note="This secret is shown only once. If you lose it, rotate the key."
      footer={
        <>
          <span className="mr-auto">
            <Checkbox label="I have stored the secret" checked={isStored} onValue={setStored} />
          </span>
          <Button
            disabledReason={isStored ? null : "Store the secret before you close this dialog. You can't view it again."}
            onClick={onDone}
          >
            Done
          </Button>
        </>
      }
    >
      <div className="flex flex-wrap items-center gap-2 rounded-control border border-outline bg-sunken px-3 py-2">
        <code className="min-w-0 grow basis-72 font-mono text-table font-medium break-all">{secret}</code>
        <CopyButton text={secret} variant="primary" size="sm" />
        <Button
          size="sm"
          icon={<Download size={14} strokeWidth={1.5} aria-hidden />}
          onClick={() => saveFile("tollgate.env", "text/plain", envFile(apiUrl, secret))}
        >
          .env
        </Button>
      </div>
      <CodeBlock tabs={curl === undefined ? languages : [curl, ...languages]} />
      {modelChoiceOf(key.models) === "none" ? (
        <p className="text-table text-muted">This key can't call any models yet. Select models in its settings.</p>
      ) : (
        <TestRequest keyId={key.id} models={models} model={chosen} onModel={setModel} />
      )}
    </Dialog>
  );
}

/**
 * Returns the chat models that the key can call. Simulated models come first because they are free and need no
 * provider.
 */
function useTestableModels(allowed: readonly string[] | null): readonly string[] {
  const hub = useCall("listHubModels", {}, { staleMs: 300_000 });
  const names = (hub.data?.models ?? [])
    .filter(({ mode, available, pattern }) => mode === "chat" && available !== false && pattern === null)
    .map(({ id }) => id)
    .filter((id) => allowed === null || allowed.some((entry) => entry === id || isWithin(entry, id)));
  const rank = (id: string) => (id === "sim/echo" ? 0 : id.startsWith("sim/") ? 1 : 2);
  return names.toSorted((one, other) => rank(one) - rank(other));
}

function isWithin(pattern: string, id: string): boolean {
  return pattern.endsWith("*") && id.startsWith(pattern.slice(0, -1));
}

function envFile(apiUrl: string, secret: string): string {
  return `TOLLGATE_API_KEY=${secret}\nTOLLGATE_BASE_URL=${apiUrl}/v1\n`;
}
