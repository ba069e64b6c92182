import { usageError } from "../../../cli-error.ts";
import { closestTo } from "../../../closest-to.ts";
import { defineCommand } from "../../../command.ts";
import { checkSetting, writeSetting } from "../../../settings/config-file.ts";
import { configPath } from "../../../settings/config-folder.ts";
import { settingNamed, settingNames } from "../../../settings/setting-names.ts";

/** `tollgate config set`: changes a setting of the current profile in the user's configuration file. */
export const configSet = defineCommand({
  examples: [
    "tollgate config set url https://tollgate.example.org",
    "tollgate config set org Acme",
    'tollgate config set org ""        # remove the setting',
  ],
  arguments: [
    { name: "name", description: `Setting: ${Object.keys(settingNames).join(", ")}` },
    { name: "value", description: "New value; an empty string removes the setting", mayBeEmpty: true },
  ],
  fields: ["profile", "name", "value", "file"],
  async run(context, _, { name, value }) {
    const setting = settingNamed(name);
    if (setting === null) {
      const known = Object.keys(settingNames);
      const close = closestTo(name, known);
      throw usageError(
        `Unknown setting '${name}'. Settings: ${known.join(", ")}.`,
        close && `Did you mean '${close}'?`,
      );
    }
    const { env } = context.io;
    const { profile, values } = context.settings;
    writeSetting(env, profile, setting, value === "" ? null : checkSetting(setting, value));
    const file = configPath(env);
    context.output.record({ profile, name: setting, value: value === "" ? null : value, file }, () => "");
    context.output.done(`${value === "" ? "Removed" : "Set"} ${setting} for profile ${profile} in ${file}`);
    const { kind, origin } = values[setting];
    if (kind !== "user file" && kind !== "default") context.output.warn(`${origin} overrides this setting.`);
  },
});
