import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useState } from "react";
import { gatewayOf } from "../../api/gateway-of.ts";
import { useToast } from "../../components/toast.tsx";

interface RunEvent {
  readonly object?: string;
  readonly delta?: { readonly content?: readonly { readonly text?: { readonly value?: string } }[] };
}

/** Starts or continues a run and returns its response while it streams. */
export function useRunStream(keyId: string) {
  const queries = useQueryClient();
  const toast = useToast();
  const [text, setText] = useState<string | null>(null);
  const send = useCallback(
    async (path: string, body: object): Promise<boolean> => {
      setText("");
      try {
        const events = await gatewayOf(keyId).stream<RunEvent>("POST", path, { ...body, stream: true });
        for await (const event of events) {
          if (event.object === "thread.message.delta") setText((before) => (before ?? "") + textOf(event));
        }
        return true;
      } catch (error) {
        toast.failed(error, "The run");
        return false;
      } finally {
        await queries.invalidateQueries({ queryKey: ["relay", keyId] });
        await queries.invalidateQueries({ queryKey: ["listLogs"] });
        setText(null);
      }
    },
    [keyId, queries, toast],
  );
  return { text, send };
}

function textOf({ delta }: RunEvent): string {
  return (delta?.content ?? []).map((part) => part.text?.value ?? "").join("");
}
