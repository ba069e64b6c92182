import { useState } from "react";
import { Field } from "../../components/field.tsx";
import { MoneyInput, NumberInput, PasswordInput, TextArea, TextInput } from "../../components/inputs.tsx";
import { MultiSelect } from "../../components/multi-select.tsx";
import { Panel } from "../../components/panel.tsx";
import { RadioGroup } from "../../components/radio-group.tsx";
import { Select } from "../../components/select.tsx";

const MODELS = ["gpt-5", "gpt-5-mini", "claude-sonnet-4-5", "gemini-2.5-flash"].map((value) => ({
  value,
  label: value,
}));

const TEAMS = [
  { value: "team_platform", label: "Platform", note: "6 keys" },
  { value: "team_support", label: "Support bot", note: "3 keys, $62.34 of $200.00" },
];

/** Samples of form fields. */
export function FormSample() {
  const [team, setTeam] = useState("team_support");
  const [models, setModels] = useState<readonly string[]>(["gpt-5-mini"]);
  const [choice, setChoice] = useState("these");
  const [cap, setCap] = useState("40.00");
  return (
    <Panel title="Fields">
      <div className="grid gap-5">
        <Field label="Name" hint="Shown in logs and bills. You can change it later.">
          <TextInput defaultValue="checkout-assistant" />
        </Field>
        <Field label="Team">
          <Select label="Team" value={team} options={TEAMS} onValue={setTeam} />
        </Field>
        <RadioGroup
          label="Models"
          value={choice}
          onValue={setChoice}
          options={[
            { value: "all", label: "All team models", note: "9 now, plus any added later" },
            {
              value: "these",
              label: "Selected models",
              note: `${models.length} selected`,
              children: <MultiSelect label="Models" values={models} options={MODELS} onValues={setModels} />,
            },
            { value: "none", label: "None", note: "All requests are refused" },
          ]}
        />
        <div className="grid grid-cols-2 gap-3">
          <Field label="Spend cap">
            <MoneyInput value={cap} onValue={setCap} />
          </Field>
          <Field label="Requests per minute" optional>
            <NumberInput placeholder="Inherits 60" />
          </Field>
          <Field label="Email" error="Enter a valid email address.">
            <TextInput defaultValue="lena@" />
          </Field>
          <Field label="Password">
            <PasswordInput defaultValue="correct horse" />
          </Field>
        </div>
        <Field label="Note" optional>
          <TextArea placeholder="Purpose of this key" />
        </Field>
      </div>
    </Panel>
  );
}
