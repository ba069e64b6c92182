import { useMutation } from "@tanstack/react-query";
import { Play } from "lucide-react";
import { gatewayOf } from "../../api/gateway-of.ts";
import { Button } from "../../components/button.tsx";
import { useToast } from "../../components/toast.tsx";

/** Sends the sample request with one of the user's keys. Components that wait for a request see it arrive. */
export function SendFromHere({ keyId, model }: { readonly keyId: string; readonly model: string }) {
  const toast = useToast();
  const send = useMutation({
    mutationFn: () =>
      gatewayOf(keyId).chat({ model, messages: [{ role: "user", content: "Say hello in one short sentence." }] }),
    onError: (error) => toast.failed(error, "The request"),
  });
  return (
    <Button
      variant="primary"
      busy={send.isPending}
      icon={<Play size={14} strokeWidth={1.5} aria-hidden />}
      onClick={() => send.mutate()}
    >
      Send from console
    </Button>
  );
}
