import { Braces } from "lucide-react";
import { useState } from "react";
import { useConfig } from "../../api/config.ts";
import { Button } from "../../components/button.tsx";
import { callCode } from "../../components/call-code.ts";
import { CodeBlock } from "../../components/code-block.tsx";
import { Dialog } from "../../components/dialog.tsx";

export interface ShownCall {
  /** Model name, to distinguish several requests. */
  readonly title: string;
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly fileName?: string | undefined;
}

/** The page's requests as code, with the key read from the environment. */
export function ViewCode({ calls }: { readonly calls: readonly ShownCall[] }) {
  const { apiUrl, keyHeader } = useConfig();
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button icon={<Braces size={14} strokeWidth={1.5} />} onClick={() => setOpen(true)}>
        View code
      </Button>
      <Dialog title="Request code" width={760} open={isOpen} onClose={() => setOpen(false)}>
        {calls.map(({ title, path, body, fileName }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two columns can have the same model.
          <section key={index} className="grid grid-cols-[minmax(0,1fr)] gap-2">
            {calls.length > 1 && <h3 className="text-table font-semibold">{title}</h3>}
            <CodeBlock tabs={callCode({ apiUrl, keyHeader, path, body, fileName })} />
          </section>
        ))}
      </Dialog>
    </>
  );
}
