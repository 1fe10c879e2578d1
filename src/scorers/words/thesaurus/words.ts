/**
 * Spellings: one word written in two ways. Abbreviations, variants, full forms. Groups end with a semicolon; an
 * underscore joins the parts of a word.
 */
export const spellings = `
  pr pull_request; mr merge_request; repo repository; k8s kubernetes; db database; msg message; doc document;
  docs documentation; img image; pic picture photo photograph; vid video;
  auth authentication authorization authenticate; env environment; config configuration configure conf cfg;
  org organization organisation; cal calendar; dir directory folder; cmd command; exec execute; param parameter;
  arg argument; attr attribute; prop property; desc description; info information; num number; qty quantity;
  amt amount; addr address; acct account; admin administrator; app application; appt appointment; avg average mean;
  calc calculate calculation calculator; char character; col column; conv conversation; coord coordinate;
  crypto cryptocurrency; ctx context; dept department; dest destination; dev development developer; dm direct_message;
  del delete; fav favorite favourite; fn func function; fx forex exchange_rate; gcal google_calendar;
  gdrive google_drive; gdoc google_doc; gsheet google_sheet; gh github; gl gitlab; geo geographic geographical;
  id identifier; js javascript; py python; lang language; lat latitude; lng lon longitude; lib library; loc location;
  max maximum; min minimum; mgmt management; mgr manager; mtg meeting; nav navigation navigate; ns namespace;
  notif notification; obj object; opt option; perf performance; perm permission; pg postgres postgresql psql;
  mongo mongodb; es elasticsearch; pkg package; pos position; pref preference; prev previous; prod production;
  proj project; pwd password passwd; ref reference; repl replica; req request; resp response; sched schedule;
  sec security; sms text_message; spec specification; src source; stat statistic stats; str string; sub subscription;
  svc service; sync synchronize synchronise synchronization; sys system; tbl table; temp temperature; tmp temporary;
  txn tx transaction; tz timezone time_zone; usr user; util utility; val value; var variable; ver version;
  vm virtual_machine; vol volume; wf workflow; ws workspace; yt youtube; tf terraform; cf cloudflare; sf salesforce;
  ci continuous_integration; kb knowledge_base; ml machine_learning; ocr text_recognition; tts text_to_speech;
  stt speech_to_text; eth ethereum; btc bitcoin; usd dollar; eur euro; poi point_of_interest; cert certificate;
  fs filesystem file_system; regex regexp regular_expression; uuid guid; po purchase_order; hook webhook web_hook;
  login log_in sign_in signin logon; logout log_out sign_out signout; signup sign_up register; lookup look_up;
  setup set_up; who_am_i whoami current_user authenticated_user; email e_mail mail; website web_site site; homepage home_page;
  screenshot screen_shot screen_capture; spreadsheet spread_sheet; color colour; analyze analyse; summarize summarise;
  organize organise; cancel cancelled canceled; center centre; gray grey; catalog catalogue; dialog dialogue;
  license licence; travel trip journey; metadata meta_data; timestamp time_stamp; username user_name;
  filename file_name; hostname host_name; dropdown drop_down; checkbox check_box; backup back_up;
  cv resume curriculum_vitae; tv television; ip ip_address; url link; svn subversion; cpu processor; ssl tls;
  sql structured_query; ai artificial_intelligence; arxiv preprint; aws amazon_web_services; gcp google_cloud;
  s3 bucket; gpt openai; cve vulnerability; kanban board;
`;

/**
 * The commonest words of tools in German, French, Spanish, Portuguese, Italian, Russian, Chinese, Japanese and Korean,
 * behind their English word: users ask in their language, and tools are mostly described in English.
 */
export const translations = `
  create erstellen anlegen erzeugen créer crear criar creare создать 创建 新建 作成 생성;
  add hinzufügen ajouter añadir agregar adicionar aggiungere добавить 添加 追加 추가;
  delete löschen entfernen supprimer eliminar borrar excluir eliminare удалить 删除 削除 삭제;
  get abrufen holen obtenir récupérer obtener obter ottenere получить 获取 取得 가져오기;
  show anzeigen zeigen afficher mostrar exibir mostrare показать 显示 查看 表示 보기;
  list auflisten liste lister listar elencare список 列出 列表 一覧 목록;
  search suchen suche finden chercher rechercher trouver buscar pesquisar procurar cercare найти поиск 搜索 查找 查询 検索 검색;
  update aktualisieren ändern bearbeiten modifier actualizar atualizar editar modificar aggiornare обновить изменить 更新 修改 编辑 編集 업데이트 수정;
  send senden schicken envoyer enviar inviare отправить 发送 送信 送る 보내기;
  read lesen lire leer ler leggere читать 读_取 阅读 読む 읽기;
  write schreiben écrire escribir escrever scrivere написать 写_入 写 書く 쓰기;
  open öffnen ouvrir abrir aprire открыть 打开 開く 열기; close schließen fermer cerrar fechar chiudere закрыть 关闭 閉じる 닫기;
  copy kopieren copier copiar copiare копировать 复制 コピー 복사;
  move verschieben déplacer mover spostare переместить 移动 移動 이동;
  start starten démarrer iniciar avviare запустить 启动 开始 開始 시작;
  stop stoppen anhalten arrêter detener parar fermare остановить 停止 中止 중지;
  run ausführen exécuter ejecutar executar eseguire выполнить 运行 执行 実行 실행;
  download herunterladen télécharger descargar baixar scaricare скачать 下载 ダウンロード 다운로드;
  upload hochladen téléverser subir cargar caricare загрузить 上_传 アップ_ロード 업로드;
  translate übersetzen traduire traducir traduzir tradurre перевести 翻译 翻訳 번역;
  convert umwandeln umrechnen convertir converter convertire конвертировать 转换 変換 변환;
  calculate berechnen calculer calcular calcolare вычислить 计算 計算 계산;
  book buchen réserver reservar prenotare забронировать 预订 预约 予約 예약;
  file datei fichier archivo arquivo файл 文件 ファイル 파일;
  folder ordner dossier carpeta pasta cartella папка 文件_夹 フォルダ フォルダー 폴더;
  document dokument documento документ 文_档 文書 ドキュメント 문서;
  message nachricht mensaje mensagem messaggio сообщение 消息 信息 メッセージ 메시지;
  email mail correo courriel письмо почта 邮件 メール 이메일;
  user benutzer nutzer utilisateur usuario usuário utente пользователь 用户 ユーザー 사용자;
  customer kunde kunden client cliente клиент 客户 顧客 고객;
  contact kontakt kontakte contacto contato contatto контакт 联系_人 連絡先 연락처;
  order bestellung bestellungen commande pedido ordine заказ 订单 注文 주문;
  invoice rechnung rechnungen facture factura fatura fattura счёт 发票 账单 請求_書 청구서;
  payment zahlung paiement pago pagamento платёж 支付 付款 支払い 결제;
  product produkt produit producto produto prodotto товар 产品 商品 製品 제품;
  price preis prix precio preço prezzo цена 价格 価格 가격;
  event termin veranstaltung événement evento rendez cita событие 活动 日程 予定 イベント 일정;
  calendar kalender calendrier calendario calendário календарь 日历 カレンダー 캘린더;
  task aufgabe aufgaben tâche tarea tarefa compito задача 任务 タスク 작업;
  issue problème problema problem проблема 问题 課題 이슈; weather wetter météo clima tiempo tempo погода 天气 天気 날씨;
  forecast vorhersage prévision pronóstico previsão previsione прогноз 预报 予報 예보;
  image bild bilder immagine imagen imagem изображение 图片 图像 画像 이미지; page seite página pagina страница 页_面 ページ 페이지;
  table tabelle tableau tabla tabela tabella таблица 表格 テーブル 표;
  database datenbank données base банк 数据_库 データベース 데이터베이스; flight flug flüge vol vuelo voo volo рейс 航_班 フライト 항공편;
  hotel hôtel отель 酒店 ホテル 호텔; map karte carte mapa mappa карта 地图 地図 지도;
  route strecke itinéraire ruta rota percorso маршрут 路线 経路 경로;
  news nachrichten actualités noticias notícias notizie новости 新闻 ニュース 뉴스;
  music musik musique música musica музыка 音乐 音楽 음악; password passwort contraseña senha пароль 密码 パスワード 비밀번호;
  comment kommentar commentaire comentario comentário commento комментарий 评论 コメント 댓글;
  project projekt projet proyecto projeto progetto проект 项目 プロジェクト 프로젝트;
  meeting besprechung réunion reunión reunião riunione встреча 会议 会議 회의;
`;

/**
 * Verbs in tool names that mean nearly the same: authors choose among them freely. Groups end with a semicolon; an
 * underscore joins the parts of a word.
 */
export const actions = `
  create add make new insert generate; create build construct;
  delete remove erase drop destroy clear purge trash discard; get fetch read retrieve view show obtain;
  list enumerate browse; list show get; update edit modify change patch alter adjust;
  search find query lookup locate discover; send post deliver submit dispatch;
  run execute invoke launch trigger perform; start begin launch initiate boot;
  stop cancel end terminate halt kill abort; show display view present; set update assign configure;
  search seek explore; move transfer relocate migrate; copy duplicate clone replicate fork; upload import put;
  download export save; write compose draft;
`;

/**
 * Related words: a user's word, and others that tools may have for it. Groups end with a semicolon; an underscore joins
 * the parts of a word.
 */
export const related = `
  describe detail info explain; rename change_name; publish post release share; pause suspend;
  resume continue restart; enable activate turn_on switch_on; disable deactivate turn_off switch_off; attach upload;
  save store persist write record; convert transform translate; compare diff difference contrast;
  merge combine join consolidate; split divide separate; schedule plan book arrange; reserve book reservation booking;
  buy purchase order; pay payment charge transaction; price cost quote rate fee;
  analyze analysis inspect examine evaluate assess; monitor watch track observe; test check verify validate;
  check get status; approve accept confirm; reject decline deny refuse; assign allocate delegate; invite member;
  reply respond answer response; comment note remark reply; subscribe follow; unsubscribe unfollow;
  block ban restrict; star favorite bookmark; tag label category; mark flag; count total number how_many;
  calculate compute math arithmetic; add sum plus; subtract minus; multiply times; summarize summary digest overview;
  chart graph plot diagram visualization visualize; draw paint sketch render illustrate; capture screenshot snapshot;
  click press tap; type enter input fill; navigate visit open go; weather forecast temperature climate;
  direction route navigation driving; map location; location place position address; geocode coordinate address;
  time clock; date day; current now latest today live realtime; recent latest newest last; restaurant food dining eat;
  hotel accommodation lodging stay; flight plane airline airfare; travel vacation tourism; taxi ride cab;
  movie film cinema; song music track; audio sound voice speech; video clip film; image picture photo; book novel;
  news headline article; article post blog; stock share equity ticker; crypto coin token; currency money exchange;
  invoice bill receipt; customer client contact; employee staff worker; user person people member account profile;
  company business organization firm corporation; product item goods; cart basket; shop store; message chat text;
  email mail inbox; channel room; thread discussion conversation; notification alert reminder;
  meeting appointment event; task todo item; issue ticket bug; bug error defect problem;
  error exception failure crash; card task; file document; page document; note memo; table spreadsheet sheet;
  row record entry; column field; schema structure; code source program script; function method; commit change;
  release version; log history audit; history past previous; server host machine instance; container docker;
  deploy release ship rollout; web internet online; website page web; scrape crawl extract;
  password credential secret; permission access right role; job career position vacancy employment;
  school university college; student pupil; course class lesson; doctor physician medical health;
  medicine drug medication; disease illness condition; recipe cooking meal dish; nutrition calorie diet;
  workout exercise fitness; car vehicle automobile; house home property real_estate; joke funny humor;
  definition meaning dictionary; paper publication research study; citation reference; dataset data; vector embedding;
  gene protein dna; chemical molecule compound; transcript caption subtitle transcription; transcribe transcript;
  similar related alike; recommend suggest recommendation suggestion; popular trending top; nearby near close around;
  random shuffle; folder directory; archive zip compress; extract unzip decompress; encrypt cipher;
  hash checksum digest; sort order rank; filter select; group team; team crew squad; owner author creator;
  author writer; size length; language locale; tweet twitter; dashboard panel report; report summary statement;
  metric measure statistic; usage consumption; quota limit; budget spending expense; salary pay wage; tax vat;
  balance amount; trade buy sell; portfolio holding; wallet account; score rating rank; review feedback rating;
  poll survey vote; form survey questionnaire; template layout; style format theme; font typeface;
  slide presentation powerpoint deck; document word; cell sheet; link connect; connect connection attach;
  disconnect detach; install setup; uninstall remove; upgrade update; restore recover undo revert rollback;
  undo revert; lock protect; hide conceal; translate translation language; game play; play start; sport match game;
  player athlete; team club; lyrics song; photo camera; device hardware; sensor device; light lamp;
  thermostat temperature; door lock; printer print; queue job; cron schedule; worker job; pipeline workflow build;
  build compile; debug troubleshoot diagnose; fix repair resolve; close resolve finish complete; complete done finish;
  open create; assignee owner; milestone deadline; deadline due; reminder alarm; timer alarm countdown;
  calendar schedule agenda; availability free busy; timezone time; holiday vacation; birthday birth; country nation;
  city town; zip postal; phone telephone call; call ring dial; contact person; friend contact; family relative;
  name title; title heading; text content; content body; word term; keyword term; question ask; ask query;
  answer solution; knowledge memory; remember memory store; forget delete; think reasoning; entity node object;
  relation edge relationship; tree hierarchy; graph network; network connection; port socket; domain dns;
  traffic request; cache store; cluster node; pod container; namespace project; image container; registry package;
  dependency package; module library; lint style; syntax grammar; spell grammar; key token; token credential;
  secret key; session conversation; browser chrome; tab window; element node; button element; cookie session;
  proxy vpn;
`;

/**
 * Related words by the domains that tools are made for. Groups end with a semicolon; an underscore joins the parts of a
 * word.
 */
export const domains = `
  restart reboot reload; shutdown power_off turn_off stop; spam junk; pick choose select; option choice;
  toggle switch flip; warning alert alarm; advice recommendation suggestion tip; mutual common shared; on_call oncall;
  output log console stdout; unread new; overdue late; archive shelve; pinned pin; snooze postpone defer delay;
  reschedule move postpone; attendee participant guest invitee; participant member; host organizer;
  colleague coworker teammate; boss manager supervisor; employee worker personnel; hire recruit; candidate applicant;
  cv resume; salary compensation; leave absence time_off vacation pto; shift roster; payroll salary;
  refund reimbursement money_back return_money; subscription plan membership; discount coupon promo voucher;
  inventory stock warehouse; stock availability; shipment delivery parcel package shipping; tracking track trace;
  supplier vendor; purchase buy; sale revenue income; expense cost spending; profit earnings; earnings income revenue;
  loan credit mortgage; interest rate; exchange convert; dividend yield; quote price; candlestick ohlc;
  market exchange; option derivative; bond treasury; lead prospect; deal opportunity; pipeline funnel;
  campaign promotion; newsletter mailing; audience segment; feedback review opinion; complaint ticket issue;
  incident outage; sprint iteration cycle; backlog queue; epic initiative; story task; subtask subitem child;
  blocker dependency; milestone release; roadmap plan; assign owner; label tag; status state;
  priority importance urgency; estimate points; changelog release_notes; diff change patch; blame annotate author;
  branch fork; tag version; merge integrate; stash shelve; checkout switch; clone download copy; push upload publish;
  pull fetch download; commit revision; review approve; approval review sign_off; artifact output; test check spec;
  benchmark performance; profile performance; memory heap ram; cpu load; latency response_time delay;
  uptime availability; downtime outage; health status; metric measurement; trace span; dashboard board; panel widget;
  alert notification; threshold limit; log event; deploy publish release rollout; rollback revert undo; scale resize;
  replica instance; snapshot backup; restore recover; volume disk storage; disk drive storage; bucket storage;
  droplet instance server vm machine; firewall security_group; certificate ssl; domain hostname; record entry;
  zone domain; tunnel vpn; rotate renew refresh; refresh reload update renew; expire expiry;
  revoke withdraw invalidate; grant allow permit; role permission; policy rule; compliance audit;
  vulnerability weakness flaw; scan inspect check; malware virus; threat attack; breach leak; encrypt protect;
  database data_store; table collection relation; collection set group; row document record;
  column attribute property field; query sql; execution_plan explain; join combine; aggregate summarize group;
  count number; distinct unique; sort order; filter narrow; export dump; import ingest load; migrate transfer;
  schema structure model; replicate copy; bulk batch mass many multiple; page paginate; cell field;
  formula expression; workbook spreadsheet excel; worksheet sheet tab; slide page; paragraph text; bullet list;
  footnote note; bookmark favorite link; hyperlink link url; embed insert; pdf document; merge combine concatenate;
  split separate; compress shrink reduce zip; crop trim cut; rotate turn; enhance improve; background backdrop;
  thumbnail preview; preview view; render draw; icon symbol; logo brand; palette color; diagram chart;
  flowchart diagram; timeline schedule history; node box; edge connection line arrow; layout arrangement;
  wireframe mockup prototype; prototype mockup; component element widget; screen page frame; scroll swipe; drag move;
  type enter fill write; submit send; dropdown select; popup dialog modal alert; tab page window; javascript script;
  console log; network request traffic; screenshot picture image; viewport screen window; device phone mobile;
  emulate simulate; simulate emulate model; crawl scrape spider; scrape extract; extract parse pull;
  parse read interpret; headline title; article story; search_engine google bing web_search; encyclopedia wikipedia;
  definition meaning; synonym thesaurus; grammar spelling; paraphrase rewrite rephrase; rewrite edit; proofread check;
  sentiment mood emotion; entity name; topic theme subject; classify categorize label; cluster group; embed vector;
  similarity distance; train fit; predict forecast estimate; prompt instruction; completion generation;
  chat conversation; voice speech; subtitle caption; podcast episode show; song track; album record;
  artist singer musician band; lyrics words; concert gig show; video movie; channel feed; stream broadcast live;
  watch view; photo picture; gallery album; movie film; series show; actor cast star; director filmmaker; menu dish;
  order purchase; train rail railway; station stop; bus coach; ticket fare pass; fare price cost;
  itinerary trip_plan schedule; trip travel; tour excursion; attraction sight landmark; hike trail; route path way;
  distance how_far length; duration how_long time; traffic congestion; charging ev; fuel gas petrol;
  rain precipitation; storm hurricane; alert warning; air_quality pollution aqi; sunrise sunset;
  earthquake quake seismic; elevation altitude height; coordinates location position latitude longitude;
  address location; place venue spot; nearby near; zone area region; region area; population inhabitants; flag banner;
  time_zone timezone; alarm timer; reminder todo; event appointment; invite invitation; rsvp respond;
  availability free_time free_busy free slot; slot time; recurring repeat; agenda schedule; meeting call conference;
  conference meeting; minutes notes summary; wiki knowledge_base; comment remark note; mention tag; reply respond;
  thread conversation; reaction emoji; channel room group; group chat; direct_message dm private_message;
  broadcast announce; announcement notice news; sms text; inbox mailbox; draft unsent; attachment file;
  unsubscribe opt_out; folder label; filter rule; appointment visit; diagnosis condition; treatment therapy;
  prescription medication; symptom sign; lab test; trial study; drug medicine; variant mutation;
  paper article publication; abstract summary; author researcher; conference venue; patent invention;
  law statute legislation; bill legislation; court tribunal; case lawsuit; contract agreement; clause term;
  sign signature; license permit; company firm; filing report; shareholder investor; director executive;
  property real_estate; listing ad; rent lease; tenant renter; mortgage loan; car vehicle; part component; repair fix;
  light bulb lamp; thermostat heating; automation routine; 3d model; score result; league competition;
  match fixture game; standings ranking table leaderboard; leaderboard ranking; tournament competition; odds bet;
  character hero; quest mission; guild clan; server realm; token coin; nft collectible; transaction transfer; gas fee;
  swap exchange trade; balance funds; qr_code qr; barcode ean upc; markdown md; unit measure; equation formula;
  plot chart;
`;

/**
 * Nearly the same, in everyday words. Groups end with a semicolon; an underscore joins the parts of a word.
 */
export const alike = `
  tune song; flat apartment; soccer football; metro subway underground; luggage baggage; physician doctor;
  attorney lawyer; automobile car; illness sickness disease; meds medication medicine; cellphone mobile smartphone;
  kid child; theater theatre cinema; petrol gasoline fuel; gst vat sales_tax; parcel package shipment;
  courier carrier; zip_code postal_code postcode; bmi body_mass_index; pnl profit_and_loss income_statement;
  cashflow cash_flow; roi return_on_investment; cpi inflation; gdp gross_domestic_product; mfa two_factor 2fa;
  percent percentage; sqrt square_root; modulo remainder modulus; std standard_deviation;
  gcd greatest_common_divisor; lcm least_common_multiple; exponent power; perimeter circumference;
  probability chance likelihood; derivative differentiate; integral integrate; logarithm log; cleanup clean_up tidy;
  init initialize initialise; replace substitute; increase raise boost; decrease lower reduce;
  retweet repost reshare; upvote like; anonymous anonymize; kpi metric indicator; lb load_balancer;
  lambda serverless_function; subtitle closed_caption; leaderboard scoreboard high_score;
  vaccine vaccination immunization; heart_rate pulse; teacher instructor professor; exam test quiz;
  homework assignment; vacancy job_opening opening; timesheet time_entry time_tracking; due_date deadline;
  past_due overdue; api_key access_key; env_var environment_variable; wifi wireless; bandwidth speed_test;
  whois domain_owner; llm language_model; chatbot assistant bot; recycle_bin trash bin; wishlist wish_list;
  identify detect recognize recognise; gather collect; organise arrange organize; alter modify; enroll register;
  quit exit leave; speak say talk; big large; little small; quick fast; cheap low_cost inexpensive; stopwatch timer;
  iban bank_account; car_rental rental_car car_hire; drink beverage; coworker colleague; pic snapshot; mistake error;
  gif animation; clip footage; begin start; finish complete end; help assistance support; begin initiate;
  choose select; destroy demolish; quit stop; close shut; answer reply; cancel call_off; delete get_rid_of;
  postpone put_off push_back; search look_for; calculate work_out; view look_at; get pull_up; start kick_off;
  cancel abort; delete wipe erase scrap; update tweak; create put_together; create set_up; start spin_up;
  provision create; delete tear_down; stop shut_down; execute run_through; note jot write_down; increase scale_up;
  decrease scale_down; compare versus vs; vote ballot;
`;

/**
 * Everyday words, each with words of tools. They count only for a word that no tool of the catalog has: otherwise they
 * would blur what the tools themselves tell apart. Groups end with a semicolon; an underscore joins the parts of a
 * word.
 */
export const everyday = `
  paperwork document form; slideshow presentation slide deck; writeup report article; letter mail;
  outline structure toc table_of_contents; bar_chart column_chart; histogram distribution; line_chart time_series;
  excel spreadsheet csv; csv table spreadsheet; range cell; macro script; notepad note; sticky_note note;
  heading header; paragraph section; section chapter part; chapter section; cover front_page; page_break section;
  bold format style; letterhead template; form_field field input; ping notify message; text sms message;
  announce post broadcast; chat_room channel; forum community board; guild server; forward send resend;
  voicemail call; sticker emoji; thread reply; pin highlight; mute silence; kick remove; nickname name alias;
  presence status online; whatsapp message; telegram message; seen read; codebase repository project;
  bug_report issue; feature_request issue; change_request pull_request; merge_request pull_request; ref branch;
  readme documentation; build_log job log; workflow_run run; runner agent; gist snippet; snippet code;
  approver reviewer; contributor author committer; code_review review pull_request; unit_test test;
  stack_trace traceback exception; hotfix patch fix; regression bug; flaky test; pr_comment review_comment;
  todo_list task; checklist task; subtask child; swimlane column status; kanban column; sprint board;
  effort points; box server instance; lambda function; blob object file; cdn cache; nameserver dns;
  autoscale scaling; workload deployment; datacenter region location; billing invoice usage cost; spend cost usage;
  iam permission role; cron_job schedule; pubsub topic queue; callback webhook; endpoint url route; vpc network;
  subnet network; floating_ip reserved_ip static_ip; ssh_key key; outage incident downtime; alarm alert monitor;
  oncall schedule rotation; apm trace performance; feature_flag toggle flag; experiment ab_test variant;
  rollout release; secret vault credential; image artifact; upsert insert update; truncate purge clear; dump backup;
  foreign_key relation; primary_key id; stored_procedure function; datastore database; slow_query performance;
  replica_set cluster; keyspace database; describe schema; ddl schema table; analytics report statistics;
  statistics analytics metric; pageview view visit; visitor traffic session; click engagement; impression reach;
  like reaction engagement; cohort segment; trend time_series trending; insight analysis; projection forecast;
  benchmark comparison; correlation relationship; activity event log; usage activity; share_price stock_price quote;
  stock_price quote; stock symbol ticker; market_cap capitalization; financials financial_statement income_statement;
  balance_sheet financial_statement; payout dividend transfer; etf fund; bond fixed_income; commodity gold oil;
  apr interest_rate; installment payment; savings deposit account; wire transfer; transfer payment; credit_card card;
  debit_card card; ledger journal bookkeeping; accounting ledger bookkeeping; accounts_payable bill;
  accounts_receivable invoice; estimate quote proposal; net_worth portfolio; investment portfolio fund;
  volatility risk; economy gdp macroeconomic; stock_market market index; bank account; atm cash; cash money;
  spending transaction; money payment balance; receipt invoice; tip gratuity; subscription recurring; payer customer;
  mint create; smart_contract contract; dex exchange; bridge transfer; liquidity pool; coin crypto;
  postage shipping rate; tracking_number shipment; plane_ticket flight; hostel hotel;
  place_to_stay accommodation hotel; vacation_rental airbnb listing; sightseeing attraction tour;
  things_to_do activity attraction; getaway trip vacation; public_transport transit bus; commute transit route;
  departure depart; train_ticket train rail; room hotel; seat ticket; weekend_trip travel; place destination;
  resort hotel; sunny weather; snow weather; wind weather; hot temperature; humidity weather; climate weather;
  how_to_get direction route; drive car route; bike bicycle cycling; street road address; gps location coordinate;
  lat_long coordinate; eta duration travel_time; travel_time duration; parking garage; landmark place;
  nearest nearby; country region; capital city; state region; singer artist; band artist;
  gig concert event; genre category; mp3 audio; radio station stream; volume loudness; skip next; music song;
  hit chart top; tv_show series; trailer video; showtime screening; recording audio video; watchlist favorite;
  album picture; podcast audio; playlist track; rating imdb; celebrity actor person; gamer player; victory win;
  level stage; champion character; loot item; lottery random_number; puzzle game; hero champion; build item;
  clinic hospital; checkup exam appointment; allergy condition; calorie energy nutrition; step activity;
  sleep health; run activity workout; jog run; weight body mass; side_effect adverse_event;
  clinical_trial trial study; surgery operation procedure; patient record; gene mutation; cook recipe;
  grocery food shopping_list; dinner meal; lunch meal; breakfast meal; dessert recipe; takeaway takeout delivery;
  ingredient recipe; menu restaurant; coach manager; championship tournament league; season league; goal score;
  olympics sport; experiment trial test; tutorial guide lesson; glossary dictionary; thesis dissertation paper;
  planet space astronomy; nasa space; asteroid space; scientist researcher; journal publication; preprint paper;
  scholar academic; literature paper; theory concept; species animal plant; physics science; degree education;
  sick_leave leave; job_posting job vacancy; interview candidate; org_chart organization; headcount employee;
  staff team; pay salary; cover_letter resume; account customer company; sales_deal opportunity deal;
  follow_up task reminder; touchpoint activity; nda agreement contract; crm contact deal lead; client account;
  outreach email campaign; mailing_list audience list; survey feedback; sku variant product; out_of_stock inventory;
  checkout payment cart; buyer customer; shopper customer; seller merchant vendor; return refund; catalog product;
  category collection; merchandise product; bargain deal discount; sale discount; apartment property; landlord owner;
  realtor agent broker; bedroom room; house_price property; zillow property; plot land; status post tweet;
  timeline feed; follower subscriber fan; friend connection; hashtag tag; handle username; bio profile;
  influencer creator; youtuber channel; subreddit community; livestream live stream; viral trending; reel video;
  fan follower; dim brightness; heating thermostat climate; doorbell camera; smart_home home_assistant device;
  speaker audio; cloud_storage drive; ls list_directory; grep search; mkdir create_directory; rm delete;
  cat read_file; chmod permission; disk_space storage; duplicate copy; binary file; save_as export;
  illustration image drawing; artwork art painting; filter effect; upscale enlarge enhance; svg vector; meme image;
  face portrait; selfie photo; cutout background; sketch drawing; wallpaper background; read_aloud text_to_speech;
  speak text_to_speech voice; dictate transcribe speech_to_text; dictation transcription; mp4 video; dub voice;
  frame screenshot; noise audio; fill_out fill; localize translate locale; scan ocr; handwriting ocr;
  text_extraction ocr; solve calculate equation; product multiply; quotient divide; fraction ratio; proportion ratio;
  area surface; angle degree; matrix determinant; prime number; random generate; interest compound_interest;
  tip calculate; unit conversion; convert unit; number integer; decimal float; random dice; geometry shape area;
  median mean average; statistics mean; weekday day; age birthday; days_between date_difference;
  time_difference timezone; world_clock timezone; anniversary date; morning time; countdown days_until;
  season quarter; fiscal year; quarter period; annual yearly; yearly year; monthly month; daily day;
  hacked breach compromised; phishing spam; exploit vulnerability; pentest scan; login authenticate; sso login;
  oauth authorization; access_control permission; firewall rule; intrusion threat; privacy gdpr; reachable ping;
  router network; trace traceroute; hostname host domain; subdomain domain; url address; webpage page; model llm;
  inference predict; fine_tune train; semantic_search similarity; rag knowledge; agent bot; ask prompt;
  topic subject; brainstorm idea; idea suggestion; decision choice; pros_cons compare; goal objective target;
  target goal; progress status; milestone goal; risk issue; stakeholder owner; requirement spec; workspace project;
  folder project; space workspace; election vote candidate; government public; policy law; tax filing return;
  insurance coverage policy; claim insurance; court case; cat pet; gift present; wedding event; party event;
  ticket event; museum attraction; park attraction; beach attraction; festival event; conference event; quote saying;
  saying proverb; fact trivia; advice tip; story tale; author book; library book; magazine article;
  pod kubectl kubernetes; namespace kubectl kubernetes; row sql query; column sql query; online websearch web internet;
  internet websearch web browse; website webbrowser browse url; webpage webbrowser browse url; bookmark webbrowser browse;
  google websearch web; newspaper websearch news; terminal shell command bash; script shell command bash;
  process shell command; daemon shell service; mailbox email inbox; correspondence email letter;
`;

/**
 * Wishes that a general tool fulfils without naming them: a shell, a database, a cluster, the web, a mailbox. Each
 * group begins with the wish; the words of such tools follow. Groups end with a semicolon; an underscore joins the
 * parts of a word.
 */
export const wishes = `
  search_the_web websearch web_search; search_online websearch web_search; search_the_internet websearch web_search;
  look_up_online websearch web_search; find_online websearch web_search; news_online websearch web_search;
  news_about websearch web_search; latest_news websearch web_search; google_search websearch web_search;
  search_engine websearch web_search; open_a_web_page webbrowser web_browser browse_url; open_page webbrowser browse_url;
  open_a_website webbrowser web_browser browse_url;
  open_the_website webbrowser web_browser browse_url; open_the_page webbrowser browse_url; open_website webbrowser browse_url; open_a_link webbrowser browse_url;
  visit_a_website webbrowser web_browser browse_url; go_to_a_website webbrowser web_browser; surf browse;
  web_browser webbrowser; read_a_web_page webbrowser browse_url fetch_url; contents_of_a_page fetch_url browse_url;
  count_rows execute_sql run_sql sql_query; number_of_rows execute_sql run_sql sql_query;
  how_many_rows execute_sql run_sql sql_query; insert_a_row execute_sql run_sql; insert_rows execute_sql run_sql;
  delete_rows execute_sql run_sql; update_rows execute_sql run_sql; select_rows execute_sql run_sql sql_query;
  join_tables execute_sql run_sql sql_query; query_a_table execute_sql run_sql sql_query;
  query_the_database execute_sql run_sql sql_query; average_of_a_column execute_sql run_sql sql_query;
  rows_in_a_table execute_sql run_sql sql_query; group_by execute_sql sql_query;
  list_pods kubectl_get; running_pods kubectl_get; list_deployments kubectl_get; list_namespaces kubectl_get;
  list_nodes kubectl_get; list_services kubectl_get; pod_status kubectl_get kubectl_describe;
  pod_logs kubectl_logs; restart_a_deployment kubectl_rollout; restart_deployment kubectl_rollout;
  scale_a_deployment kubectl_scale; inspect_a_pod kubectl_describe; apply_a_manifest kubectl_apply;
  delete_a_pod kubectl_delete;
  run_a_script execute_command run_command bash; run_a_program execute_command run_command bash;
  shell_command execute_command run_command bash; in_the_terminal execute_command run_command bash;
  command_line execute_command run_command bash terminal; install_a_package execute_command run_command bash;
  disk_usage execute_command run_command bash; running_processes execute_command run_command bash;
  in_the_folder list_directory; files_in_a_folder list_directory; look_into_a_file read_file;
  open_a_file read_file; show_the_file read_file; save_to_disk write_file; save_a_file write_file;
  answer_an_email reply_email send_email; answer_a_mail reply_email send_email; write_to_somebody send_email;
  unread_mail search_emails list_emails; check_my_mail search_emails list_emails; check_my_inbox search_emails list_emails;
  call_an_api http_request fetch_url; post_to_an_api http_request; test_an_endpoint http_request;
`;
