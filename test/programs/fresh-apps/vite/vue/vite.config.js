import vue from '@vitejs/plugin-vue'

const isCustomElement = (tag) => tag === 'api-keys-tab'

export default {
  plugins: [vue({ template: { compilerOptions: { isCustomElement } } })],
}
