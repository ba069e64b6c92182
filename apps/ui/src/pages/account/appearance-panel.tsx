import { useCall, useChange } from "../../api/queries.ts";
import { Loaded } from "../../components/loaded.tsx";
import { Panel } from "../../components/panel.tsx";
import { Segmented } from "../../components/segmented.tsx";
import { Switch } from "../../components/switch.tsx";
import { setTheme, type Theme } from "../../shell/theme.ts";

/** Appearance settings and shortcuts, stored with the account. */
export function AppearancePanel() {
  const preferences = useCall("getPreferences");
  const update = useChange("updatePreferences", { invalidates: ["getPreferences"] });
  return (
    <Panel title="Appearance">
      <Loaded query={preferences} what="Your preferences">
        {({ preferences: { theme, density, shortcuts } }) => (
          <div className="grid gap-4">
            <Choice label="Theme">
              <Segmented<Theme>
                label="Theme"
                value={theme}
                onValue={(value) => {
                  setTheme(value);
                  update.mutate({ body: { theme: value } });
                }}
                options={[
                  { value: "system", label: "System" },
                  { value: "light", label: "Light" },
                  { value: "dark", label: "Dark" },
                ]}
              />
            </Choice>
            <Choice label="Row density">
              <Segmented
                label="Row density"
                value={density}
                onValue={(value) => update.mutate({ body: { density: value } })}
                options={[
                  { value: "compact", label: "Compact" },
                  { value: "default", label: "Default" },
                  { value: "comfortable", label: "Comfortable" },
                ]}
              />
            </Choice>
            <Switch
              label="Single-key keyboard shortcuts"
              checked={shortcuts}
              onValue={(value) => update.mutate({ body: { shortcuts: value } })}
            />
          </div>
        )}
      </Loaded>
    </Panel>
  );
}

function Choice({ label, children }: { readonly label: string; readonly children: React.ReactNode }) {
  return (
    <div className="flex flex-wrap items-center justify-between gap-2">
      <span className="text-table font-medium">{label}</span>
      {children}
    </div>
  );
}
