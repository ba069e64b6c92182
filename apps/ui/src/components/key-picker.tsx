import type { UsableKey } from "../api/use-keys.ts";
import { Select } from "./select.tsx";

interface KeyPickerProps {
  readonly keys: readonly UsableKey[];
  readonly value: string;
  readonly onValue: (id: string) => void;
}

/** Selects the key to bill. Shows each key's name, team, and last four characters, because names aren't unique. */
export function KeyPicker({ keys, value, onValue }: KeyPickerProps) {
  return (
    <Select
      label="Key"
      value={value}
      onValue={onValue}
      className="sm:h-[30px]! border-outline-soft! sm:text-table!"
      options={keys.map(({ id, name, team, lastFour }) => ({
        value: id,
        label: name,
        note: [team, lastFour && `…${lastFour}`].filter(Boolean).join(" "),
      }))}
    />
  );
}
