/** LiteLLM tables that the import reads. */
export const importedTables = [
  "LiteLLM_BudgetTable",
  "LiteLLM_OrganizationTable",
  "LiteLLM_ModelTable",
  "LiteLLM_TeamTable",
  "LiteLLM_UserTable",
  "LiteLLM_OrganizationMembership",
  "LiteLLM_TeamMembership",
  "LiteLLM_VerificationToken",
  "LiteLLM_DeprecatedVerificationToken",
  "LiteLLM_ProxyModelTable",
  "LiteLLM_EndUserTable",
  "LiteLLM_ObjectPermissionTable",
  "LiteLLM_ProjectTable",
] as const;
