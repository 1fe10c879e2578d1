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
  read lesen lire leer ler leggere читать 读取 阅读 読む 읽기;
  write schreiben écrire escribir escrever scrivere написать 写入 写 書く 쓰기;
  open öffnen ouvrir abrir aprire открыть 打开 開く 열기; close schließen fermer cerrar fechar chiudere закрыть 关闭 閉じる 닫기;
  copy kopieren copier copiar copiare копировать 复制 コピー 복사;
  move verschieben déplacer mover spostare переместить 移动 移動 이동;
  start starten démarrer iniciar avviare запустить 启动 开始 開始 시작;
  stop stoppen anhalten arrêter detener parar fermare остановить 停止 中止 중지;
  run ausführen exécuter ejecutar executar eseguire выполнить 运行 执行 実行 실행;
  download herunterladen télécharger descargar baixar scaricare скачать 下载 ダウンロード 다운로드;
  upload hochladen téléverser subir cargar caricare загрузить 上传 アップロード 업로드;
  translate übersetzen traduire traducir traduzir tradurre перевести 翻译 翻訳 번역;
  convert umwandeln umrechnen convertir converter convertire конвертировать 转换 変換 변환;
  calculate berechnen calculer calcular calcolare вычислить 计算 計算 계산;
  book buchen réserver reservar prenotare забронировать 预订 预约 予約 예약;
  file datei fichier archivo arquivo файл 文件 ファイル 파일;
  folder ordner dossier carpeta pasta cartella папка 文件夹 フォルダ フォルダー 폴더;
  document dokument documento документ 文档 文書 ドキュメント 문서;
  message nachricht mensaje mensagem messaggio сообщение 消息 信息 メッセージ 메시지;
  email mail correo courriel письмо почта 邮件 メール 이메일;
  user benutzer nutzer utilisateur usuario usuário utente пользователь 用户 ユーザー 사용자;
  customer kunde kunden client cliente клиент 客户 顧客 고객;
  contact kontakt kontakte contacto contato contatto контакт 联系人 連絡先 연락처;
  order bestellung bestellungen commande pedido ordine заказ 订单 注文 주문;
  invoice rechnung rechnungen facture factura fatura fattura счёт 发票 账单 請求書 청구서;
  payment zahlung paiement pago pagamento платёж 支付 付款 支払い 결제;
  product produkt produit producto produto prodotto товар 产品 商品 製品 제품;
  price preis prix precio preço prezzo цена 价格 価格 가격;
  event termin veranstaltung événement evento rendez cita событие 活动 日程 予定 イベント 일정;
  calendar kalender calendrier calendario calendário календарь 日历 カレンダー 캘린더;
  task aufgabe aufgaben tâche tarea tarefa compito задача 任务 タスク 작업;
  issue problème problema problem проблема 问题 課題 이슈; weather wetter météo clima tiempo tempo погода 天气 天気 날씨;
  forecast vorhersage prévision pronóstico previsão previsione прогноз 预报 予報 예보;
  image bild bilder immagine imagen imagem изображение 图片 图像 画像 이미지; page seite página pagina страница 页面 ページ 페이지;
  table tabelle tableau tabla tabela tabella таблица 表格 テーブル 표;
  database datenbank données base банк 数据库 データベース 데이터베이스; flight flug flüge vol vuelo voo volo рейс 航班 フライト 항공편;
  hotel hôtel отель 酒店 ホテル 호텔; map karte carte mapa mappa карта 地图 地図 지도;
  route strecke itinéraire ruta rota percorso маршрут 路线 経路 경로;
  news nachrichten actualités noticias notícias notizie новости 新闻 ニュース 뉴스;
  music musik musique música musica музыка 音乐 音楽 음악; password passwort contraseña senha пароль 密码 パスワード 비밀번호;
  comment kommentar commentaire comentario comentário commento комментарий 评论 コメント 댓글;
  project projekt projet proyecto projeto progetto проект 项目 プロジェクト 프로젝트;
  meeting besprechung réunion reunión reunião riunione встреча 会议 会議 회의;
`;
