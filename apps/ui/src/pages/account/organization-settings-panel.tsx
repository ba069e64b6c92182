import { type FormEvent, useState } from "react";
import type { Organization } from "../../api/me.ts";
import { useChange } from "../../api/queries.ts";
import { Button } from "../../components/button.tsx";
import { Field } from "../../components/field.tsx";
import { NumberInput, TextInput } from "../../components/inputs.tsx";
import { Panel } from "../../components/panel.tsx";
import { Select } from "../../components/select.tsx";
import { Switch } from "../../components/switch.tsx";

const zones = ["UTC", ...Intl.supportedValuesOf("timeZone").filter((zone) => zone !== "UTC")];

/** Organization-wide settings: name, time zone, and which request data is stored. */
export function OrganizationSettingsPanel({ organization }: { readonly organization: Organization }) {
  const { settings } = organization;
  const [name, setName] = useState(organization.name);
  const [timezone, setTimezone] = useState(settings.timezone);
  const [keepsContent, setKeepsContent] = useState(settings.logPrompts);
  const [days, setDays] = useState(String(settings.logRetentionDays));
  const update = useChange("updateOrganization", {
    invalidates: ["listOrganizations", "getUsage", "getBurnRate"],
    done: "Organization updated",
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const logRetentionDays = Number(days);
    update.mutate({
      body: {
        organizationId: organization.id,
        name,
        settings: { timezone, logPrompts: keepsContent, logRetentionDays },
      },
    });
  };
  return (
    <Panel title="Organization">
      <form onSubmit={submit} className="grid max-w-lg gap-4">
        <Field label="Name">
          <TextInput value={name} onChange={(event) => setName(event.target.value)} required maxLength={100} />
        </Field>
        <Field label="Reporting time zone" hint="Usage, burn rate, and exports use this time zone for all members.">
          <Select
            label="Reporting time zone"
            value={timezone}
            onValue={setTimezone}
            search
            options={zones.map((value) => ({ value, label: value }))}
          />
        </Field>
        <Switch label="Store prompts and responses with logs" checked={keepsContent} onValue={setKeepsContent} />
        <Field label="Log retention (days)">
          <NumberInput value={days} onChange={(event) => setDays(event.target.value)} required />
        </Field>
        <Button type="submit" variant="primary" busy={update.isPending} className="justify-self-start">
          Save
        </Button>
      </form>
    </Panel>
  );
}
