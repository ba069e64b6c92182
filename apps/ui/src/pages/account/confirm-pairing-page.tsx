import { type FormEvent, useState } from "react";
import { useMe } from "../../api/me.ts";
import { useCall, useChange } from "../../api/queries.ts";
import { Button, ButtonLink } from "../../components/button.tsx";
import { Field } from "../../components/field.tsx";
import { TextInput } from "../../components/inputs.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { Notice } from "../../components/notice.tsx";
import { Page } from "../../components/page.tsx";
import { Panel } from "../../components/panel.tsx";
import { Time } from "../../components/time.tsx";
import { useSearchState } from "../../router-search.ts";

/** Approves a CLI sign-in. The user must check that both sides show the same code. */
export function ConfirmPairingPage() {
  const [{ code }, set] = useSearchState({ code: "" });
  const [typed, setTyped] = useState("");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    set({ code: typed.trim().toUpperCase() });
  };
  return (
    <Page title="Connect the CLI">
      {code === "" ? (
        <Panel className="max-w-md">
          <form onSubmit={submit} className="grid gap-4">
            <Field label="Code from the terminal">
              <TextInput
                mono
                value={typed}
                onChange={(event) => setTyped(event.target.value)}
                placeholder="7Q4K-M2XD"
                required
                autoFocus
              />
            </Field>
            <Button type="submit" variant="primary">
              Continue
            </Button>
          </form>
        </Panel>
      ) : (
        <Request code={code} />
      )}
    </Page>
  );
}

function Request({ code }: { readonly code: string }) {
  const { user } = useMe();
  const pairing = useCall("getPairing", { params: { code } });
  const touched = { invalidates: ["getPairing", "listSessions"] } as const;
  const approve = useChange("approvePairing", touched);
  const deny = useChange("denyPairing", touched);
  if ((pairing.error as { status?: number } | null)?.status === 404) {
    return (
      <Panel className="max-w-md">
        <div className="grid gap-4">
          <Notice tone="warning">
            No pending CLI sign-in matches code <span className="font-mono">{code}</span>. Codes expire after a few
            minutes. For a new one, run <code className="font-mono">tollgate login</code> again.
          </Notice>
          <ButtonLink to="/cli/confirm" search={{ code: "" }} className="justify-self-start">
            Enter another code
          </ButtonLink>
        </div>
      </Panel>
    );
  }
  return (
    <Panel className="max-w-md">
      <Loaded query={pairing} what="This code">
        {({ pairing: { status, clientName, ip, createdAt } }) => {
          if (status === "approved" || status === "claimed") {
            return <Notice tone="success">The CLI is signed in as {user?.email}. You can close this page.</Notice>;
          }
          if (status === "denied") return <Notice tone="info">Denied. The CLI was not signed in.</Notice>;
          if (status === "expired") {
            return <Notice tone="warning">This code has expired. Run the command again to get a new one.</Notice>;
          }
          return (
            <div className="grid gap-4">
              <p className="font-mono text-figure font-medium">{code}</p>
              <p>
                <strong className="font-semibold">{clientName}</strong> at <span className="font-mono">{ip}</span>{" "}
                requested access as {user?.email} <Time at={createdAt} form="relative" />. Approve only if your terminal
                shows this code.
              </p>
              <div className="flex gap-2">
                <Button variant="primary" busy={approve.isPending} onClick={() => approve.mutate({ params: { code } })}>
                  Approve
                </Button>
                <Button busy={deny.isPending} onClick={() => deny.mutate({ params: { code } })}>
                  Deny
                </Button>
              </div>
            </div>
          );
        }}
      </Loaded>
    </Panel>
  );
}
