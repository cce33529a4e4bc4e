import { createApp } from 'vue'
import App from './App.vue'

createApp(App, { csrfToken: 't' }).mount('#app')
