-- HAProxy asks miftah by this action; haproxy.cfg loads it.
local passed = { "www-authenticate", "retry-after", "x-api-key-id", "x-workspace-id", "x-api-key-scopes" }

core.register_action("miftah", { "http-req" }, function(txn)
  local authorization = {}
  for at, line in pairs(txn.http:req_get_headers()["authorization"] or {}) do
    authorization[at + 1] = line
  end
  local answer = core.httpclient():get({
    url = "http://127.0.0.1:4801/auth",
    timeout = 2000,
    headers = {
      ["authorization"] = authorization,
      ["x-original-method"] = { txn.sf:method() },
      ["x-original-uri"] = { txn.sf:pathq() },
      ["x-forwarded-for"] = { txn.sf:src() },
    },
  })
  txn:set_var("txn.status", answer.status)
  for _, name in ipairs(passed) do
    local lines = answer.headers and answer.headers[name]
    txn:set_var("txn." .. name:gsub("-", "_"), lines and lines[0] or "")
  end
end)
