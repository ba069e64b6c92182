import { type WebhookEvent, webhookEvents } from "@tollgate/sdk/platform";
import { type FormEvent, useState } from "react";
import { useCall, useChange } from "../../api/queries.ts";
import { Button } from "../../components/button.tsx";
import { Checkbox } from "../../components/checkbox.tsx";
import { CopyButton } from "../../components/copy-button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { ErrorText } from "../../components/error-text.tsx";
import { Field } from "../../components/field.tsx";
import { TextInput } from "../../components/inputs.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { Notice } from "../../components/notice.tsx";
import { Panel } from "../../components/panel.tsx";
import { StatusDot } from "../../components/status-dot.tsx";
import { Time } from "../../components/time.tsx";

/** Webhooks that receive the organization's events. */
export function WebhooksPanel() {
  const [isAdding, setAdding] = useState(false);
  const webhooks = useCall("listWebhooks", { query: { pageSize: 100 } });
  const remove = useChange("deleteWebhook", { invalidates: ["listWebhooks"], done: "Webhook deleted" });
  return (
    <Panel
      title="Webhooks"
      note="each has its own signing secret"
      flush
      actions={
        <Button size="sm" onClick={() => setAdding(true)}>
          Add webhook
        </Button>
      }
    >
      <Loaded query={webhooks} what="The webhooks">
        {({ data }) => (
          <ul>
            {data.length === 0 && (
              <li className="px-4 py-3 text-muted">
                No webhooks yet. Add one to receive events for low credit, blocked teams, and purchases.
              </li>
            )}
            {data.map(({ id, url, events, status, lastDeliveredAt }) => (
              <li
                key={id}
                className="flex flex-wrap items-center gap-3 border-b border-hairline px-4 py-2 last:border-0"
              >
                <span className="min-w-0 flex-1">
                  <span className="block truncate font-mono text-table">{url}</span>
                  <span className="block text-meta text-muted">{events.join(", ")}</span>
                </span>
                <StatusDot shape={status === "active" ? "ok" : "bad"}>
                  {status === "active" ? "Active" : "Disabled"}
                </StatusDot>
                <span className="text-meta text-muted">
                  {lastDeliveredAt === null ? "No deliveries yet" : <Time at={lastDeliveredAt} form="relative" />}
                </span>
                <Button size="sm" variant="danger" onClick={() => remove.mutate({ params: { id } })}>
                  Delete
                </Button>
              </li>
            ))}
          </ul>
        )}
      </Loaded>
      {isAdding && <AddWebhook onClose={() => setAdding(false)} />}
    </Panel>
  );
}

function AddWebhook({ onClose }: { readonly onClose: () => void }) {
  const [events, setEvents] = useState<readonly WebhookEvent[]>(["balance.low", "balance.negative", "team.blocked"]);
  const create = useChange("createWebhook", { invalidates: ["listWebhooks"], isQuiet: true });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    create.mutate({ body: { url: String(new FormData(event.currentTarget).get("url")), events } });
  };
  const secret = create.data?.webhook.secret ?? null;
  if (secret !== null) {
    return (
      <Dialog
        title="Webhook added"
        open
        onClose={onClose}
        dismissable={false}
        footer={<Button onClick={onClose}>Done</Button>}
      >
        <p className="mb-3">Use this secret to verify webhook signatures. It is shown only once.</p>
        <span className="flex items-center gap-2">
          <code className="min-w-0 flex-1 rounded-control bg-sunken p-2 font-mono text-table break-all">{secret}</code>
          <CopyButton text={secret} label="Copy" />
        </span>
      </Dialog>
    );
  }
  return (
    <Dialog title="Add webhook" open onClose={onClose}>
      <form onSubmit={submit} className="grid gap-4">
        {create.error !== null && (
          <Notice tone="danger">
            <ErrorText error={create.error} />
          </Notice>
        )}
        <Field label="URL" hint="The URL must use HTTPS and be reachable from this server.">
          <TextInput name="url" type="url" placeholder="https://example.org/tollgate" required autoFocus />
        </Field>
        <fieldset>
          <legend className="text-table font-medium">Events</legend>
          <div className="mt-1 grid gap-1.5 sm:grid-cols-2">
            {webhookEvents.map((name) => (
              <Checkbox
                key={name}
                label={name}
                checked={events.includes(name)}
                onValue={(isChosen) =>
                  setEvents(isChosen ? [...events, name] : events.filter((other) => other !== name))
                }
              />
            ))}
          </div>
        </fieldset>
        <Button
          type="submit"
          variant="primary"
          busy={create.isPending}
          disabledReason={events.length === 0 ? "Select at least one event" : null}
        >
          Add webhook
        </Button>
      </form>
    </Dialog>
  );
}
