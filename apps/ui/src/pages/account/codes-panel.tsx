import { type FormEvent, useState } from "react";
import { useMe } from "../../api/me.ts";
import { useChange } from "../../api/queries.ts";
import { Button } from "../../components/button.tsx";
import { ConfirmDialog } from "../../components/confirm-dialog.tsx";
import { CopyButton } from "../../components/copy-button.tsx";
import { Field } from "../../components/field.tsx";
import { TextInput } from "../../components/inputs.tsx";
import { Panel } from "../../components/panel.tsx";
import { StatusDot } from "../../components/status-dot.tsx";

/** Panel for two-factor authentication, which the user enables with a code from an authenticator app. */
export function CodesPanel() {
  const { user } = useMe();
  const [isEnding, setEnding] = useState(false);
  const touched = { invalidates: ["getMe"] } as const;
  const begin = useChange("createTotp");
  const confirm = useChange("confirmTotp", {
    ...touched,
    done: "One-time codes turned on",
    onDone: () => begin.reset(),
  });
  const end = useChange("deleteTotp", {
    ...touched,
    done: "One-time codes turned off",
    onDone: () => setEnding(false),
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    confirm.mutate({ body: { code: String(new FormData(event.currentTarget).get("code")).replaceAll(" ", "") } });
  };
  const isOn = user?.totpEnabled === true;
  return (
    <Panel title="One-time codes" actions={<StatusDot shape={isOn ? "ok" : "off"}>{isOn ? "On" : "Off"}</StatusDot>}>
      {isOn && (
        <Button variant="danger" onClick={() => setEnding(true)}>
          Turn off
        </Button>
      )}
      {!isOn && begin.data === undefined && (
        <div className="grid justify-items-start gap-3">
          <p className="text-table text-muted">
            Require a one-time code from an authenticator app in addition to your password. Some servers require
            one-time codes for administrators.
          </p>
          <Button busy={begin.isPending} onClick={() => begin.mutate({})}>
            Set up
          </Button>
        </div>
      )}
      {!isOn && begin.data !== undefined && (
        <form onSubmit={submit} className="grid gap-4">
          <Field label="Authenticator secret" hint="Add this secret to your authenticator app.">
            <span className="flex items-center gap-2">
              <code className="min-w-0 flex-1 font-mono text-table break-all">{begin.data.secret}</code>
              <CopyButton text={begin.data.secret} iconOnly label="Copy secret" />
            </span>
          </Field>
          <a href={begin.data.otpauthUrl} className="text-table text-accent hover:underline">
            Open in an authenticator app on this device
          </a>
          <Field label="Code from your authenticator app">
            <TextInput name="code" inputMode="numeric" autoComplete="one-time-code" required />
          </Field>
          <Button type="submit" variant="primary" busy={confirm.isPending}>
            Turn on
          </Button>
        </form>
      )}
      <ConfirmDialog
        open={isEnding}
        title="Turn off one-time codes?"
        consequence="You'll sign in with only your password."
        confirmLabel="Turn off"
        busy={end.isPending}
        onConfirm={() => end.mutate({})}
        onClose={() => setEnding(false)}
      />
    </Panel>
  );
}
