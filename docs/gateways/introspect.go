// The standard library of Go alone.
// It imports context, encoding/json, fmt, net/http, net/url, os, strings and time.
type introspection struct {
	Active bool   `json:"active"`
	Scope  string `json:"scope"`
	Sub    string `json:"sub"`
	Exp    int64  `json:"exp"`
}

var client = &http.Client{Timeout: 5 * time.Second}

func introspect(ctx context.Context, token string) (introspection, error) {
	var answer introspection
	if token == "" {
		return answer, nil
	}
	form := url.Values{"token": {token}}
	req, err := http.NewRequestWithContext(ctx, "POST", os.Getenv("INTROSPECTION_URL"), strings.NewReader(form.Encode()))
	if err != nil {
		return answer, err
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.SetBasicAuth("billing", os.Getenv("INTROSPECTION_TOKEN"))
	res, err := client.Do(req)
	if err != nil {
		return answer, err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return answer, fmt.Errorf("introspection: %s", res.Status)
	}
	return answer, json.NewDecoder(res.Body).Decode(&answer)
}

func requireScope(scope string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		token := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
		key, err := introspect(r.Context(), token)
		switch {
		case err != nil:
			// An outage is no verdict.
			w.Header().Set("Retry-After", "1")
			http.Error(w, "try again later", http.StatusServiceUnavailable)
		case !key.Active:
			w.Header().Set("WWW-Authenticate", `Bearer realm="api"`)
			http.Error(w, "no valid key", http.StatusUnauthorized)
		case !strings.Contains(" "+key.Scope+" ", " "+scope+" "):
			http.Error(w, "the key lacks "+scope, http.StatusForbidden)
		default:
			next.ServeHTTP(w, r)
		}
	})
}
