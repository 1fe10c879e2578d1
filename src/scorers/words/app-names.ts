/**
 * Names of products, lower-case, without accents and signs; an underscore joins the two words of a name. They are
 * titles of simple-icons (CC0-1.0) of one or two words and at least four letters, without the words of an English
 * dictionary and the names of formats and languages; and some names that simple-icons leaves out at the wish of their
 * owners.
 */
export const appNames = `
  1001tracklists 11ty 1panel 1password 2fas 4chan 500px 7zip 99designs 9gag a_frame abbott abbvie abdm abuse_ch
  accenture accusoft accuweather acode actigraph activeloop activision activitypub actix actual_budget acura adafruit
  adaway adblock adblock_plus addy_io adguard adidas adminer adonisjs adroll adyen aegis_authenticator aeroflot
  aeromexico afdian afterpay aftership ai_dungeon aiohttp aiqfome air_canada air_china air_france air_india air_serbia
  air_transat airasia airbnb airbyte aircall airplay_audio airplay_video airtable airtel akamai akasa_air akaunting
  akiflow alacritty alamy albert_heijn alby aldi_nord aldi_sud algolia algorand alibaba_cloud alibaba_com alienware
  aliexpress alipay alist alliedmodders alltrails almalinux alphaxiv alpine_js alpine_linux alternativeto alwaysdata
  ameba_blog ameblo american_airlines american_express amul andela android_auto android_studio anichart anilist
  animal_planet anime_js ankermake anki ansible ansys ant_design anta antena_3 antennapod antv anycubic anydesk
  anytype apache_airflow apache_ant apache_arrow apache_avro apache_cassandra apache_cloudstack apache_cordova
  apache_couchdb apache_dolphinscheduler apache_doris apache_druid apache_echarts apache_flink apache_freemarker
  apache_groovy apache_guacamole apache_hadoop apache_hbase apache_hive apache_jmeter apache_kafka apache_kylin
  apache_lucene apache_maven apache_nifi apache_openoffice apache_parquet apache_pdfbox apache_pulsar apache_rocketmq
  apache_solr apache_spark apache_storm apache_superset apache_tomcat aparat apifox apm_terminals apollo_graphql
  appgallery appian appimage appium apple_arcade appmanager appsignal appsmith appveyor appwrite aral arangodb arcgis
  arch_linux archicad arduino ariakit ark_ecosystem arlo arm_keil ars_technica artifact_hub artix_linux artstation
  arxiv asahi_linux asciidoctor asciinema asda aseprite assemblyscript aston_martin astra astro asus asus_rog atari
  atlasos atlassian atomgit auchan audi audio_technica audiobookshelf audioboom audiomack aurelia autentique auth0
  authelia authentik autocad autocannon autodesk autodesk_maya autodesk_revit autohotkey autoit automattic
  autoprefixer autozone avajs avaloniaui avast avianca avira awesome_lists awesomewm aws awwwards axios azure babelio
  babylon_js backblaze backbone_js backendless badoo baidu bakalari bamboohr bambu_lab bandcamp bandlab bandsintown
  barclays baremetrics barmenia base_ui basecamp baserow bastyon battle_net bazel beatport beatstars beekeeper_studio
  behance beijing_subway bentley bento bentobox bentoml bereal berliner_verkehrsbetriebe betfair better_auth
  betterdiscord big_cartel bigbasket bigbluebutton bigcommerce bigquery bilibili binance bio_link bioconductor
  bisecthosting bitbucket bitcoin_sv bitcomet bitdefender bitly bitrise bitsy bittorrent bitwarden bitwig
  blackmagic_design blazemeter blazor blibli blockbench bloglovin bluesky bluesound bluetooth bmc_software bnb_chain
  boardgamegeek boehringer_ingelheim boeing bohemia_interactive bookalope bookbub booking_com bookmeter bookmyshow
  bookstack boosty boots borgbackup botble_cms boulanger boxy_svg braintree braintrust brandfetch brandfolder brenntag
  brevo brex bricks british_airways broadcom bsky bspwm budibase buefy bugatti bugcrowd buildkite builtbybit bukalapak
  bulma bungie bunny_net bunq burger_king burp_suite buysellads buzzfeed bytedance c_builder cachyos cadillac
  cafepress cairo_graphics cairo_metro caixabank cakephp cal_com calendly calibre_web camunda caprover car_throttle
  cardano cardmarket carlsberg_group carrd carto castbox castorama ccleaner cd_projekt celestron centos ceph chai
  chainguard chainlink chakra_ui channel_4 chart_js chartmogul chatwoot checkio checkmarx checkmk chedraui chemex
  chevrolet chia_network china_railway chocolatey chrysler chupa_chups cinema_4d cinny circleci circuitverse cirrus_ci
  citrix citroen civicrm civo clarifai claris clarivate claude claude_code clever_cloud clickhouse clickup clion
  clockify clojure cloud_66 cloud_foundry cloudbees cloudcannon cloudera cloudflare cloudflare_pages
  cloudflare_workers cloudinary cloudron cloudsmith cloudwatch cloudways clubforce clyp cmake cncf cnes cnet coca_cola
  cockroach_labs cocoapods codacy codeberg codebuddy codecademy codeceptjs codechef codecov codecrafters codefactor
  codeforces codefresh codeigniter codemagic codementor codemirror codenewbie codeproject coderabbit codersrank
  coderwall codesandbox codeship codesignal codestream codewars coding_ninjas codingame codio coffeescript coinbase
  coinmarketcap collabora_office collabora_online collabora_productivity comicfury commerzbank commitlint common_lisp
  compiler_explorer comptia comsol conan conda_forge conekta construct_3 contabo contactless_payment containerd contao
  contensis contentful contentstack continente contributor_covenant conventional_commits convertio cookiecutter
  cooler_master coolify copa_airlines coppel coreboot coreldraw corona_engine corona_renderer couchbase counter_strike
  countingworks_pro coursera coveralls coze cpanel craft_cms cratedb creality creative_commons credly crehana
  crew_united crewai crowdin crowdsource crunchbase crunchyroll cryengine cryptomator cryptpad csdn css_modules
  css_wizardry cultura curseforge custom_ink cyberdefenders cytoscape_js d3_js d_edge dacia daily_dev dailymotion
  daisyui dapr dark_reader darty das_erste dash0 dashlane dask dassault_systemes data_ai databricks datacamp datadog
  datagrip dataiku datastax date_fns datev datocms datto davinci_resolve dazhong_dianping dazn dbeaver dblp
  dc_entertainment debian debrid_link decap_cms decentraland deepcool deepgram deepin deepl deepmind deepnote deepseek
  deezer deliveroo deno deno_deploy denon dependabot depositphotos der_spiegel deutsche_bahn deutsche_bank
  deutsche_post deutsche_telekom deutsche_welle dev_to devbox devcontainers development_containers devexpress
  deviantart devpost devrant devuan dgraph dialogflow dicebear dictionary_com dify digg digitalocean diners_club
  directus discogs discord_js disqus disroot distrobox distrokid django dlib dlna dlthub docs_rs docsify docusaurus
  docusign dodo_payments dogecoin dolibarr doordash dota_2 dotenv douban douban_read dovecot downdetector doxygen
  dragonframe draugiem_lv draw_io dreamstime dribbble drooble dropbox drupal ds_automobiles dtube ducati duckdb
  duckduckgo dungeons_dragons dunked dunzo duolingo duplicati dynamodb dynatrace e_leclerc easyeda easyjet ebay
  ebay_kleinanzeigen ebox ec2 eclipse_adoptium eclipse_che eclipse_ide eclipse_jetty eclipse_mosquitto ecosia ecovacs
  edeka edge_impulse editorconfig egnyte eight_sleep elastic_cloud elastic_stack elasticsearch elavon electron_builder
  electron_fiddle elegoo elementor elevenlabs eleventy elgato elsevier embarcadero ember_js emby emirates emlakjet
  endeavouros enpass ente enterprisedb envato envoy_proxy epel epic_games epifi epson equinix_metal ericsson erpnext
  esbuild esea eslgaming eslint esoteric_software esphome espressif esri etcd ethers ethiopian_airlines etihad_airways
  etsy eurasian_conformity evernote excalidraw exercism exordo exoscale expedia expensify express_js expressvpn eyeem
  f_droid f_sharp faceit facepunch fairphone fampay fanfou fantom farcaster fareharbor farfetch fastapi fastify
  fastlane fastly favro fawry fedex feedly ferrari ferretdb ffmpeg fido_alliance fifa figma figshare fila file_io
  filen filezilla fillout fineco fing firefish firefly_iii firefox firefox_browser fireship firewalla fish_shell
  fitbit fivem fiverr flashforge flathub flatpak flickr flightaware flipboard floorp fluent_bit fluentd fluxer fly_io
  fmod fnac folo fonoma font_awesome fontbase fontforge foobar2000 foodpanda forgejo formbricks formik formspree
  formstack fortinet fortnite fossil_scm foxtel fozzy framework7 franprix fraunhofer_gesellschaft freebsd freecad
  freecodecamp freedesktop_org freelancermap freenas freenet freepik freetube freshbooks freshdesk freshrss
  freshservice fritz frontend_mentor frontify fubo fueler fuga_cloud fujifilm fujitsu fur_affinity furry_network
  fusionauth futurelearn fyle galaxus gamasutra game_jolt gamebanana gameloft gamemaker gandi garmin garuda_linux
  gatsby gcore gdal geeksforgeeks general_motors gentoo geocaching geopandas gerrit getx ghostery ghostfolio ghostty
  giphy git_extensions git_lfs gitbook gitcode gitconnected gitea gitee github github_actions github_copilot
  github_pages github_sponsors gitignore_io gitkraken gitlab gitpod gitter gl_inet glassdoor glaxosmithkline globus
  glovo gltf gnome_terminal gnu_bash gnu_emacs gnu_icecat gnu_social gocd godaddy godot_engine godox gofundme gog_com
  gojek goland goldman_sachs goodreads google_admob google_adsense google_authenticator google_bigquery
  google_bigtable google_cardboard google_cast google_chrome google_chronicle google_colab google_dataflow
  google_dataproc google_deepmind google_docs google_drive google_earth google_gemini google_jules google_lens
  google_maps google_scholar google_sheets google_slides gotomeeting gplv3 gradio gradle grafana grafana_k6 grammarly
  grand_frais grapheneos grav gravatar graylog greasy_fork greensock greptimedb grid_ai gridsome grocy groupme groupon
  gsap gsma gsmarena_com gsoc gstreamer guangzhou_metro guilded guitar_pro gumroad gumtree gunicorn gurobi h2_database
  habr hack_club hackaday hacker_news hacker_noon hackerearth hackerone hackerrank hackmd hackster handlebars_js
  happycow haproxy harmonyos hashcat hashicorp hashnode hasura hatena_bookmark havells haxe hbo_max hdfc_bank
  headless_ui headphone_zone hearthis_at hedgedoc helium_browser hellofresh helly_hansen help_scout hepsiemlak heroku
  heroui hetzner hevy hexlet hexo hi_bob hibp hilton hitachi hivemq hmos homarr homeadvisor homebridge homify honda
  honeybadger honeygain hono hootsuite hoppscotch hostinger hotjar hotwire houzz hsbc htc_vive html5 html_academy htmx
  htop httpie huawei huawei_appgallery hubspot hugging_face humble_bundle humhub husqvarna hyper hyperskill hyperx
  hypit hyprland hyundai i18next ibeacon iced icici_bank icinga icloud icomoon iconfinder iconify iconjar icons8 ieee
  ifixit ifood ifttt igdb iheartradio ikea ilovepdf image_sc image_toolbox imagej imdb imessage imgur immer immich
  imou improvmx indie_hackers indieweb inductive_automation infiniti infinityfree influxdb infomaniak infoq infosys
  infracost inkdrop inkscape inoreader insta360 instacart instagram instapaper instatus instructables instructure
  intel intellij_idea interactjs interbase intermarche internet_archive intigriti invoice_ninja iobroker ionos ipfs
  irobot isc2 isro issuu istio itch_io iterm2 itunes itvx iveco jameson jamstack japan_airlines jdoodle jekyll
  jellyfin jenkins jetblue jetbrains jetpack_compose jfrog jfrog_pipelines jhipster jira jira_software jitpack jitsi
  joomla jouav jpeg jr_group jsdelivr jsfiddle juce juejin julia juniper_networks junit5 jupyter justgiving kaggle
  kagi kahoot kaios kakao kakaotalk kali_linux kamailio kando kaniko karakeep karlsruher_verkehrsverbund kasa_smart
  kashflow kaspersky katana kaufland kde_neon kde_plasma kdenlive kedro keenetic keepassxc keeweb kenmei kentico
  keploy keras keybase keycdn keycloak khan_academy khronos_group kibana kicad kickstarter kimi kingston_technology
  kinopoisk kinsta kirby kitsu kiwix klarna kleinanzeigen klook knative knex_js knime knip knowledgebase ko_fi kodak
  kodi kodular koenigsegg kofax komoot konami kongregate konva koreader koyeb kred krita ktor kuaishou kubernetes
  kubespray kubuntu kucoin kueski kuma kununu kuula kyocera labex labview lada lamborghini langchain
  langchain_corporate langflow langgraph languagetool lapce laragon laravel laravel_horizon laravel_nova last_fm
  lastpass lazyvim lbry leader_price leanpub leetcode lefthook legacy_games leica lemmy lemon_squeezy lenovo leptos
  lerna leroy_merlin les_libraires letterboxd levels_fyi li_ning libera_chat liberapay libraries_io librarything
  libreoffice libreoffice_base libreoffice_calc libreoffice_draw libreoffice_impress libreoffice_math
  libreoffice_writer libretranslate libretube librewolf libuv lichess lidl lifx lightburn limesurvey lineageos
  linkedin linkerd linkfire linksys linktree linkvertise linphone lintcode linux_containers linux_foundation
  linux_mint linuxserver lion_air liquibase listenhub listmonk litecoin litiengine livechat livejournal livekit
  livewire llvm lm_studio lmms lmstudio lobsters localsend localxpose lodash logmein logseq logstash loopback loops
  loot_crate lospec lottiefiles ltspice luanti lubuntu lucia lucide ludwig lufthansa luogu lutris lvgl lyft m5stack
  maas macpaw macports magasins_u magisk mahindra mail_com mail_ru mailchimp mailgun mailtrap mainwp makerbot
  makeuseof malwarebytes mamba_ui mamp manageiq mangacollec mangaupdates manjaro mantine mapbox mapillary maplibre
  maptiler mariadb mariadb_foundation marko marriott marvelapp maserati mastercard mastercomfig material_ui matic
  matillion matomo matter_js mattermost matternet mautic maytag mazda mcafee mclaren mdblist mdbook mediafire
  mediamarkt mediapipe mediatek medibang_paint meetup mega meilisearch meituan meizu mendeley mentorcruise
  mercado_pago merck meta_ai metabase metacritic metafilter metager metasploit mewe mezmo micro_blog micro_editor
  micro_focus micropython microsoft_teams microstation microstrategy migadu mihon mihoyo mikrotik milanote minds
  mingw_w64 minimax minio mintlify minutemailer miraheze misskey mistral_ai mitsubishi mixcloud mixpanel mlflow mobx
  modelscope modin modrinth modx mojeek moleculer momenteo monday_com monero moneygram mongodb monica monkey_tie
  monkeytype monogame monoprix monzo moodle moonrepo moonshot_ai moqups morris_garages morrisons moscow_metro motorola
  movistar mozilla msi_business mubi muller mullvad mullvad_vpn multisim musicbrainz mx_linux myanimelist myget myob
  myshows myspace mysql namebase namecheap namemc namesilo namu_wiki nano nano_stores napster national_rail
  nativescript nats_io naver nederlandse_spoorwegen neo4j neovim nestjs netapp netbsd netcup netdata netgear netim
  netlify nette netto neutralinojs new_api new_relic newegg newgrounds newpipe nexon next_js nextbike nextbillion_ai
  nextcloud nextdns nextdoor nextflow nextra nf_core nginx ngrok ngrx nhost nicehash niconico nikon niri nixos njpw
  nobara_linux node_js node_red nodebb nodegui nodemon nokia norco nordic_semiconductor nordvpn normalize_css norton
  notebooklm notepad notesnook notist noun_project novu nrwl nsis ntfy nubank nucleo nuget numba numpy nunjucks
  nushell nutanix nuxt nvidia nzxt obs_studio obtainium ocaml oceanbase oclc oclif octane_render october_cms octoprint
  octopus_deploy odido odnoklassniki odoo odysee oh_dear okcupid okta ollama omada_cloud omarchy onedrive oneplus
  onestream onlyfans onlyoffice onnx onstar oomol open3d open_badges open_collective openai_gym openapi_initiative
  openbao openbsd opencage opencode opencritic opencv openfaas openhab openid openjdk openjs_foundation openlayers
  openmediavault openmined opennebula openproject openrouter openscad opensea opensearch openssl openstack
  openstreetmap opensuse opentelemetry opentext opentf opentofu opentui openverse openvpn openwrt openzeppelin openzfs
  opera_gx opnsense oppo opsgenie opslevel optimizely optuna oracle_virtualbox orchard_core orcid organic_maps osano
  osgeo oshkosh oshwa osmand osmc osterreichische_bundesbahnen otel otoy otto outlook_com owasp owncloud p5_js
  packagist packt paddlepaddle paddy_power padlet pagekit pagerduty pagespeed_insights pagseguro palantir panasonic
  pandas pandoc paperless_ngx paperspace paradox_interactive paramount parity_substrate parrot_security parse_ly
  passbolt pastebin patreon paychex payhip payload_cms payoneer paypal paysafe paytm pcgamingwiki pearson peerlist
  peertube pegasus_airlines peloton penpot personio peugeot pexels pfsense phabricator philips_hue phoenix_framework
  phonepe phosphor_icons photobucket photocrowd photopea photoshop phpbb phpmyadmin phpstorm pi_hole pi_network
  piaggio_group piapro picard_surgeles picarto_tv picpay picrew picsart picxy pimcore pinboard pine_script pingdom
  pinia pino pinterest pioneer_dj pipecat piped pipedrive pipx pivotal_tracker piwigo pixabay pixelfed pixiv pixlr
  pkgsrc planetscale plangrid platform_sh platformio platzi plausible_analytics playcanvas player_fm playstation
  playstation_2 playstation_3 playstation_4 playstation_5 playstation_portable playstation_vita pleroma plesk plex
  plotly pluralsight plurk pnpm pocket_casts pocketbase pocketnet podcast_addict podman polars polkadot poly
  polymer_project polywork pomerium pond5 porkbun porsche portableapps_com portainer portswigger postcss postgresql
  posthog postiz postmates power_bi powerpoint powers pr_co pre_commit preact prek premid premier_league prepbytes
  prestashop prettier prezi primefaces primeng primereact primevue printables prisma prismic private_division
  pro_tools probot processing_foundation processon processwire progate pronouns_page prosemirror prosieben proto_io
  protocols_io proton_calendar proton_drive proton_mail proton_vpn protondb proxmox pubg publons pubmed pulumi
  purescript purgecss pushbullet pycharm pycqa pydantic pypi pypy pyscaffold pysyft pytest pythonanywhere pytorch
  pytorch_geometric pyup qantas qase qatar_airways qbittorrent qdrant qemu qgis qiita qiskit qiwi qlik qlty qnap qodo
  quad9 quad9_dns qualcomm qualcomm_snapdragon qualtrics qualys quantcast quantconnect quarkus qubes_os quickbooks
  quicklook quicktime quicktype quizlet quora qwant qwen qwik qwiklabs qzone rabbitmq rad_studio radarr radiant_earth
  radio_france radix_ui rainmeter rainyun rakuten rakuten_kobo rarible rasa raspberry_pi ratatui ravelry raycast
  raylib razer razorpay rclone react_bootstrap react_query react_router react_table reactflow reactive_resume
  reactivex reactos read_cv readme reason_studios red_bull red_hat redash redbubble reddit redis redmine redragon
  redsys redux_saga redwoodjs reebok refined_github reka_ui remedy_entertainment remix remove_bg renault renren replit
  rescuetime researchgate resend resharper retro_achievements retroarch retropie revanced reveal_js revenuecat
  reverbnation revolt_chat revolut rewe rezgo rimac_automobili riot_games risc_v riseup ritz_carlton roadmap_sh
  roam_research robinhood roblox roblox_studio roboflow rocket_chat rocksdb rockstar_games rockwell_automation
  rocky_linux roku roll20 rollbar rolldown rolls_royce rollup_js roon root_me roots_bedrock roots_sage rossmann
  rotten_tomatoes roundcube rsocket rstudio_ide rtlzwei rubocop ruby_sinatra rubygems rubymine rumahweb rundeck
  runkeeper runkit runrun_it rustdesk rustfs rxdb ryanair s7_airlines sabanci sagemath sahibinden sailfish_os sails_js
  salesforce salla salt_project samsung samsung_pay sanic sat_1 sauce_labs saudia scaleway scania schneider_electric
  scikit_learn scilab scipy scopus scp_foundation scrapbox scrapy screencastify scrimba scrollreveal scrum_alliance
  scrutinizer_ci scylladb seafile seagate searxng seatgeek securityscorecard sefaria sega sellfy semantic_release
  semantic_scholar semantic_ui semantic_web semaphore_ci semrush semver sencha sennheiser sensu sepa sequelize servbay
  server_fault serverless servicenow sessionize setapp setuptools sfml shanghai_metro sharepoint sharex shazam shelly
  shenzhen_metro shields_io shikimori shopee shopify shopware showpad showwcase sidekiq sidequest sifive
  silver_airways similarweb simkl simple_icons simplelocalize simplelogin simplenote sina_weibo singapore_airlines
  singlestore sitecore sitepoint siyuan skaffold sketchfab sketchup skillshare skoda skypack slack slackware slashdot
  slickpic slides slideshare slint smartthings smashing_magazine smoothcomp smrt smugmug snapchat snapcraft sncf
  snowpack snyk social_blade society6 socket_io softcatala softpedia sogou solana sololearn solus solved_ac sonarqube
  sonarqube_cloud sonarqube_server sonarr sonatype songkick songoda sonicwall sonos sony soriana soundcharts
  soundcloud sourceforge sourcehut sourcetree southwest_airlines spacemacs spacex spark_ar sparkasse sparkfun
  sparkpost spdx speaker_deck speedtest speedypage spidermonkey spigotmc splunk spoj spond spotify spreadshirt
  spreaker spring_boot spyder_ide sqlalchemy square_enix squarespace srg_ssr ssrn stack_overflow stackbit stackblitz
  stackedit stackhawk stackshare stadia staffbase stagetimer standardjs star_trek starbucks stardock starling_bank
  start_gg startpage starz statamic statista statuspage statuspal steam_deck steamdb steamworks steelseries steem
  steemit stencyl stmicroelectronics stockx stopstalk storyblok strapi strava streamlabs streamlit streamrunners
  stremio strongswan stryker stubhub studio_3t styled_components stylelint styleshare subaru sublime_text substack
  subtitle_edit suckless suitest sumo_logic sumup suno supabase super_user supercell supercrease supermicro surfshark
  surrealdb surveymonkey suse suzuki svelteflow svg_js svgo svgtrace swaywm swiggy swiper swisscows symantec symbolab
  symfony sympy syncthing synology system76 t_mobile tabelog tablecheck taco_bell tado taichi_graphics taichi_lang
  tailscale tailwind_css taipy talend talenthouse talos tamiya tampermonkey tanstack taobao tapas tarom tarteaucitron
  tasmota tata tauri taxbuzz teamcity teamspeak teamviewer techcrunch teepublic teespring tekton tele_5 tele_quebec
  telefonica telenor tencent_hy tensorflow teradata teratail termius terraform tesco testcafe testin testrail
  textpattern thangs thanos the_finals the_guardian the_mighty the_storygraph thingiverse thinkpad thirdweb threadless
  three_js threema thunderstore thurgauer_kantonalbank thymeleaf ticketmaster ticktick tidb tiddlywiki tidyverse
  tietoevry tiktok tilda_publishing timescale tina tindie tinkercad tinygrad tinyletter tistory tldraw tmdb tmux
  todoist toggl toggl_track tokyo_metro tomorrowland tomtom top_gg topcoder toptal tor_browser tor_project torizon
  toshiba totvs tourbox tp_link tqdm traccar tradingview trae traefik_mesh traefik_proxy trailforks trainerroad trakt
  transifex travis_ci traxsource treehouse trello trend_micro tresorit treyarch trezor tricentis trilium triller
  trillertv trimble trino tripadvisor triple_t trivago trivy trmnl trpc truenas trueup trulia trusted_shops trustpilot
  tryhackme ts_node tubi tumblr turbo turborepo turbosquid turkish_airlines turso tuta tutanota tuxedo_computers
  tv4_play twilio twinmotion typeform typeorm typer typo3 typst uber uber_eats ubiquiti ubisoft ublock_origin ubuntu
  ubuntu_mate udacity udemy uikit uipath ukca ultralytics ulule umami umbraco umbrel unacademy under_armour
  underscore_js undertale unified_javascript unilever uniqlo united_airlines unjs unlicense unocss unpkg unraid
  unreal_engine unsplash unstop untappd upcloud uplabs upptime upstash uptime_kuma upwork usdt uservoice utorrent v2ex
  vaadin vala valorant vaultwarden vauxhall vbulletin vectary vectorworks veeam veed veepee vegas velog vencord venmo
  vercel verdaccio veritas verizon vestel vexxhost vfairs viadeo viaplay viber viblo victoriametrics victron_energy
  vikunja vimeo vimeo_livestream vinted virgin_atlantic virgin_group virgin_media virtualbox virustotal
  visual_paradigm visx vite vitepress vitess vitest viva_wallet vivino vivint vivo vllm vmware vodafone voelkner
  void_linux voip_ms volkswagen volvo vonage voron_design vowpal_wabbit vrchat vsco vscodium vtex vue_js vuetify
  vueuse vultr vyond w3schools wacom wagmi wails wakatime wallabag walletconnect wantedly wappalyzer wasmcloud wasmer
  wattpad waze wazirx wear_os weasyl web3_js web_awesome webauthn webcomponents_org webdriverio webex webflow webgpu
  weblate webmin webmoney webpack webrtc webstorm webtoon webtrees wechat wegame weights_biases wellfound wells_fargo
  wemo weread western_union wetransfer wezterm wgpu what3words whatsapp wiki_gg wiki_js wikibooks wikidata
  wikimedia_commons wikimedia_foundation wikipedia wikiquote wikisource wikiversity wikivoyage winamp wipro wireguard
  wireshark wistia wizz_air wolfram_language wolfram_mathematica wondershare wondershare_filmora woocommerce wordpress
  wp_engine wp_rocket wpexplorer wttj wwise wykop wyze x_org xampp xcode xda_developers xendit xero xfce xiaohongshu
  xiaomi xing xmpp xsplit xstate xubuntu xyflow y_combinator yaak yabai yamaha_corporation yandex_cloud yoast yolo
  youhodler youtube youtube_gaming youtube_kids youtube_music youtube_shorts youtube_studio youtube_tv yubico yunohost
  zabka zaim zalando zalo zapier zara zazzle zcash zcool zebpay zebra_technologies zectrix zed_industries zelle
  zen_browser zendesk zenn zenodo zensar zensical zerodha zerotier zettlr zhihu zigbee zigbee2mqtt ziggo zilliz zillow
  zincsearch zingat zoho zoiper zomato zorin zotero zulip zyte
`;

/** Names of products that are English words, too. They count only if they are written with a capital. */
export const capitalisedAppNames = `
  airtable asana basecamp box buffer canva chime confluence contentful discord drive dropbox excel ghost greenhouse harvest
  heap hive instagram intercom klaviyo linear loom mailchimp mattermost medium messenger miro monday notion obsidian onenote
  outlook paypal pinterest pocket postman quickbooks ramp reddit render resend rippling segment sentry signal skype slack
  snowflake splunk spotify square strava stripe teams telegram threads tiktok trello twitch twitter uber venmo vimeo webex
  whatsapp workday xero youtube zapier zendesk zoom
`;
